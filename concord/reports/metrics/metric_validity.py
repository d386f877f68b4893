"""Metric validity: metrics against annotators' grades, and the answers that fail by a metric.

The AUC shows how well a metric separates the answers annotators pass from those they fail. Half of
the questions choose a threshold and the other half measure its accuracy. Nothing is replaced: what
fails elsewhere fails by the middle of the range, or of a similarity by that of unrelated texts.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from concord import metrics
from concord.messages import counted, joined
from concord.model import Sheet
from concord.reports.cells import written
from concord.reports.charts import Intervals, dots
from concord.reports.document import FLAT, INTERNAL, Column, Table, table_of
from concord.reports.metrics.metric_records import (
    MetricMean,
    Readings,
    Record,
    bounds,
    by_reading,
    figure,
    indexed,
    short,
    word,
)
from concord.reports.panel import wording
from concord.reports.panel.criterion_comparison import EACH, reference
from concord.reports.panel.panel import COMPOSITE, Panel
from concord.reports.panel.panel import read as read_panel
from concord.reports.panel.wording import criterion_of
from concord.stats.agreement import rank_correlation
from concord.stats.core.estimate import Estimate, undefined
from concord.store.database import Store
from concord.store.rubrics import rubric_versions

NOBODY = "No annotator has graded whole answers yet"
OF_COMPOSITE = "a composite has no failing scores; choose a criterion"
_DRAWN = 12


@dataclass(frozen=True)
class Validity:
    """Validity of one series of metric values.

    Attributes:
        name: Display name of the series, unique among the others.
        n: Number of answers with both a value and a grade.
        questions: Number of questions they belong to.
        correlation: Spearman's correlation, with the sign reversed where less of the metric is
            better.
        auc: Probability that an answer annotators pass has a better value than one they fail.
        passing: Number of the n that annotators pass, a sum of shares; None for a composite.
        threshold: Where annotators begin to pass, fitted on half of the questions.
        balanced: Its balanced accuracy on the others.
    """

    metric: str
    judge: str
    version: str
    switches: dict[str, str]
    name: str
    n: int
    questions: int
    correlation: Estimate = field(metadata=FLAT)
    auc: Estimate
    passing: float | None
    threshold: float | None
    balanced: Estimate


@dataclass(frozen=True)
class AgainstAnnotators:
    """Validity of metrics against annotators' grades of a criterion, the best first.

    Attributes:
        fact: What a reader must know of the finding; '' for nothing.
        criterion: The criterion; None where no annotator has graded whole answers.
        called: What the criterion is called in a sentence.
        lead: How far the best is ahead of the second (`over`), on `n` answers with values of both.
    """

    sentence: str
    fact: str = field(metadata=INTERNAL)
    criterion: str | None = None
    called: str | None = None
    rows: Sequence[Validity] = ()
    lead: dict[str, Any] | None = None


def panel(store: Store, sheet: Sheet, rubric: str | None = None) -> Panel | None:
    """Return annotators' grades of whole answers to compare metrics with; None without any.

    `rubric` is by name; None takes the first under which annotators graded.

    Raises:
        Problem: The rubric is of units; an answer has several of them and no score of its own.
    """
    if rubric:
        wording.of_answers(rubric_versions.named(store, rubric)[1])
    for name in [rubric] if rubric else rubric_versions.graded(store, sheet.id):
        found = read_panel(store, sheet, rubric_versions.named(store, name)[1])
        if found.annotators:
            return found
    return None


def _names(series: Sequence[Record]) -> list[str]:
    """Return the title of each series, with judge and reading where others have the same title."""
    names = []
    for one in series:
        same = [other for other in series if other.metric == one.metric]
        judges = short(other.judge for other in same)
        more = [judges[one.judge]] if len(judges) > 1 else []
        if sum(other.judge == one.judge for other in same) > 1:
            more.append(", ".join(map(word, one.switches.values())))
        title = metrics.title(one.metric)
        names.append(f"{title} ({', '.join(more)})" if more else title)
    return names


def _sign(metric: str) -> int:
    known = metrics.available().get(metric)
    return -1 if known and known.better == "lower" else 1


def against(found: Readings, held: Panel | None, criterion: str = "") -> AgainstAnnotators:
    """Compare metrics with annotators' grades of a criterion; '' for the heaviest one."""
    if held is None:
        return AgainstAnnotators(NOBODY, "")
    criterion = criterion or held.rubric.heaviest().name
    invented = any(person.simulated for person in held.annotators.values())
    grades = annotators(held, criterion)
    series = [*by_reading(one for one in found.records if one.value is not None).values()]
    names = _names([same[0] for same in series])
    pairs = [
        (_validity(same, name, grades, criterion), {one.item_id: one.value for one in same})
        for same, name in zip(series, names, strict=True)
    ]
    pairs.sort(key=lambda pair: (_is_unknown(pair[0]), -(pair[0].correlation.value or 0)))
    rows = [row for row, _ in pairs]
    known = [pair for pair in pairs if not _is_unknown(pair[0])]
    called = criterion_of(held.rubric, criterion)
    if not any(row.n for row in rows):
        return AgainstAnnotators(NOBODY, "", criterion, called, rows)
    whom = f"{'simulated annotators' if invented else 'annotators'} on {called}"
    sentence, fact, lead = f"No metric is shown to correlate with {whom}", "", None
    if known:
        best, figure = rows[0], rows[0].correlation
        fact = f"Rank correlation {written(figure, 'number')} on {counted(best.n, 'answer')}."
        positive = (figure.value if figure.low is None else figure.low) > 0
        found_best = f"{best.name} correlates best with {whom}"
        if positive:
            sentence = f"{found_best} so far"
        if len(known) > 1:
            first, second = (values for _, values in known[:2])
            shared = [i for i in first if i in second and i in grades.index]
            one, other = (_sign(row.metric) * _array(values, shared) for row, values in known[:2])
            ahead = rank_correlation.lead(one, other, *_targets(grades.loc[shared]))
            lead = {"over": rows[1].name, "n": len(shared), **ahead._asdict()}
            if positive:
                fact += f" Ahead of {rows[1].name} by {written(ahead, 'difference')}."
                if ahead.low is not None and ahead.low > 0:
                    sentence = found_best
    return AgainstAnnotators(sentence, fact, criterion, called, rows, lead)


def annotators(panel: Panel, criterion: str) -> pd.DataFrame:
    """Return the answers that annotators graded, by item id.

    Returns:
        `score`, the mean of its annotators, `passing`, the share of them who pass it, `cluster`,
        `weight`, and `first`, the first answer of its cluster, which identifies that for good.
    """
    each = reference(panel, criterion, EACH)
    is_composite = criterion == COMPOSITE
    failing = () if is_composite else panel.rubric.failing(panel.rubric.criterion(criterion))
    ids = panel.items["item_id"].to_numpy()
    grades = {
        "score": each.means(),
        "passing": each._replace(score=~np.isin(each.score, sorted(failing))).means(),
        "cluster": panel.cluster,
        "weight": panel.weight,
        "first": pd.Series(ids).groupby(np.asarray(panel.cluster)).transform("min").to_numpy(),
    }
    return pd.DataFrame(grades, index=ids).dropna(subset="score")


def _validity(same: Sequence[Record], name: str, grades: pd.DataFrame, criterion: str) -> Validity:
    first, given = same[0], {one.item_id: one.value for one in same}
    here, sign = grades.loc[[i for i in given if i in grades.index]], _sign(first.metric)
    values, (target, cluster, weight) = sign * _array(given, here.index), _targets(here)
    passing, at = here["passing"].to_numpy(float), None
    auc = balanced = undefined(OF_COMPOSITE)
    if criterion != COMPOSITE:
        auc = rank_correlation.auc(values, passing, cluster, weight)
        fitting = rank_correlation.choosing(here["first"].tolist())
        why = rank_correlation.too_few_for_threshold(values, passing, fitting)
        balanced = undefined(why or "")
        if not why:
            at = rank_correlation.fit_threshold(values[fitting], passing[fitting], weight[fitting])
            held = (of[~fitting] for of in (values, passing, cluster, weight))
            balanced = rank_correlation.threshold_accuracy(*held, at)
    return Validity(
        first.metric,
        first.judge,
        first.version,
        dict(first.switches),
        name=name,
        n=len(here),
        questions=len(set(cluster.tolist())),
        correlation=rank_correlation.spearman(values, target, cluster, weight),
        auc=auc,
        passing=None if criterion == COMPOSITE else float(passing.sum()),
        threshold=None if at is None else sign * at,
        balanced=balanced,
    )


def _is_unknown(row: Validity) -> bool:
    return row.correlation.value is None


def _array(values: Mapping[int, float], item_ids: Sequence[int]) -> np.ndarray:
    return np.array([values[item_id] for item_id in item_ids], float)


def _targets(grades: pd.DataFrame) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    score, weight = (grades[key].to_numpy(float) for key in ("score", "weight"))
    return score, indexed(grades["cluster"]), weight


def validity_table(rows: Sequence[Validity]) -> Table:
    """Return a row for each series, with its correlation, its AUC and its fitted threshold."""
    judges = short(row.judge for row in rows)
    parts = (
        ("metric", "name"),
        (Column("rank correlation", "number"), "correlation"),
        (Column("AUC", "number"), "auc"),
        (Column("n", "count"), "n"),
        (Column("clusters of questions", "count"), "questions"),
        (
            Column("threshold", "text", "fitted threshold"),
            lambda row: (
                None
                if row.threshold is None
                else f"{'≥' if _sign(row.metric) > 0 else '≤'} {row.threshold:.3g}"
            ),
        ),
        (Column("balanced accuracy", "number"), "balanced"),
        ("judge", lambda row: judges[row.judge]),
    )
    return table_of("annotators", rows, parts, "Correlation with annotators")


def chart(rows: Sequence[Validity], criterion: str, finding: str) -> Intervals | None:
    """Return the highest correlations with annotators' grades; None where none is defined."""
    known = [row for row in rows if not _is_unknown(row)][:_DRAWN]
    if not known:
        return None
    axis = f"rank correlation with annotators' {criterion}"
    parts = (
        ("metric", "name"),
        (Column(axis, "number"), "correlation"),
        (Column("n", "count"), "n"),
    )
    return dots(table_of("annotators", known, parts, finding), "metrics", 0.0)


@dataclass(frozen=True)
class FailingAnswers(MetricMean):
    """The answers that fail by one metric of one judge; the mean is the share that fails.

    Attributes:
        advice: What to look at.
        threshold: The value at which an answer begins to fail; one at it passes.
        item_ids: These answers, the worst first, and `items`, their names.
    """

    metric: str
    judge: str
    advice: str
    threshold: float
    failing: int
    item_ids: list[int] = field(metadata=INTERNAL)
    items: list[str]

    def passes(self) -> str:
        """Return which values pass, as `0.82 or more`."""
        return f"{self.threshold:.2f} or {'less' if _sign(self.metric) < 0 else 'more'}"


def diagnosis(
    found: Readings,
    values: Sequence[Any],
    names: Mapping[int, str],
    validity: Sequence[Validity] = (),
) -> list[FailingAnswers]:
    """Return every metric with advice and failing answers.

    Args:
        found: The records of a sheet.
        values: Its rows (`metrics.rows`).
        names: The name of each answer by item id.
        validity: The metric that predicts annotators best comes first, as one that fails every
            answer tells none from another. Others follow by the share they fail.
    """
    groups = by_reading(found.records).values()
    made = (_failing(same, row, names) for same, row in zip(groups, values, strict=True))
    known = [one for one in validity if not _is_unknown(one)]
    places = {(one.metric, one.judge): place for place, one in enumerate(known)}

    def place(row: FailingAnswers) -> tuple[int, float]:
        return places.get((row.metric, row.judge), len(known)), -row.mean

    return sorted(filter(None, made), key=place)


def _failing(same: list[Record], row: Any, names: Mapping[int, str]) -> FailingAnswers | None:
    metric = metrics.available().get(row.metric)
    if metric is None or not metric.when_low:
        return None
    low, high = bounds(row.metric, row.switches)
    at = (max(low, 0.0) + high) / 2  # a negative similarity counts as 0
    if row.unrelated:
        at = row.unrelated["high"]
    sign = _sign(row.metric)
    scored = [one for one in same if one.value is not None]
    failing = [one for one in scored if sign * one.value < sign * at]
    if not failing:
        return None
    failing.sort(key=lambda one: (sign * one.value, one.item_id))
    item_ids = [one.item_id for one in failing]
    return FailingAnswers(
        **vars(figure([one._replace(value=float(sign * one.value < sign * at)) for one in scored])),
        metric=row.metric,
        judge=row.judge,
        advice=metric.when_low,
        threshold=at,
        failing=len(failing),
        item_ids=item_ids,
        items=[names[item_id] for item_id in item_ids],
    )


def diagnosis_table(found: Sequence[FailingAnswers], most: int = 3) -> Table:
    """Return a row for each metric with its failing answers, the worst of which it names.

    `most` is how many answers are named.
    """
    parts = (
        ("metric", lambda row: metrics.title(row.metric)),
        ("judge", "judge"),
        (Column("failing", "count"), "failing"),
        (Column("answers", "count"), "n"),
        (Column("share", "share"), "estimate"),
        ("passes at", FailingAnswers.passes),
        ("what to do", "advice"),
        ("worst answers", lambda row: joined(", ", row.items[:most])),
    )
    return table_of("failing", found, parts, "Failing answers")
