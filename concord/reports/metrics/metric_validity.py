"""Metric validity: metrics against annotators' grades, and the answers that fail by a metric.

The AUC shows how well a metric separates the answers annotators pass from those they fail. Half of
the questions choose a threshold and the other half measure its accuracy. Nothing is replaced: what
fails elsewhere fails by the middle of the range.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from concord import metrics
from concord.messages import counted
from concord.model import Sheet
from concord.reports.cells import written
from concord.reports.charts import Intervals, dots
from concord.reports.document import FLAT, Column, Table, table_of
from concord.reports.metrics.metric_records import (
    Readings,
    Record,
    bounds,
    by_reading,
    figure,
    indexed,
    short,
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
        name: Display name: the metric's title, with its judge where there are several.
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
        criterion: The criterion; None where no annotator has graded whole answers.
        called: What the criterion is called in a sentence.
    """

    sentence: str
    criterion: str | None = None
    called: str | None = None
    rows: Sequence[Validity] = ()


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


def _sign(metric: str) -> int:
    known = metrics.available().get(metric)
    return -1 if known and known.better == "lower" else 1


def against(found: Readings, held: Panel | None, criterion: str = "") -> AgainstAnnotators:
    """Compare metrics with annotators' grades of a criterion; '' for the heaviest one."""
    if held is None:
        return AgainstAnnotators(NOBODY)
    criterion = criterion or held.rubric.heaviest().name
    called, grades = criterion_of(held.rubric, criterion), annotators(held, criterion)
    series = [*by_reading(one for one in found.records if one.value is not None).values()]
    judges = short(same[0].judge for same in series)
    rows = [_validity(same, judges, grades, criterion) for same in series]
    rows.sort(key=lambda row: (_is_unknown(row), -(row.correlation.value or 0)))
    if not any(row.n for row in rows):
        return AgainstAnnotators(NOBODY, criterion, called, rows)
    invented = any(person.simulated for person in held.annotators.values())
    whom = f"{'simulated annotators' if invented else 'annotators'} on {called}"
    best, sentence = rows[0], f"No metric is shown to correlate with {whom}"
    value, low, *_ = best.correlation
    if value is not None and (value if low is None else low) > 0:
        figure = f"{written(best.correlation, 'number')} on {counted(best.n, 'answer')}"
        sentence = f"{best.name} correlates best with {whom}: {figure}"
    return AgainstAnnotators(sentence, criterion, called, rows)


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


def _validity(
    same: Sequence[Record], judges: Mapping[str, str], grades: pd.DataFrame, criterion: str
) -> Validity:
    first, given = same[0], {one.item_id: one.value for one in same}
    here, sign = grades.loc[[i for i in given if i in grades.index]], _sign(first.metric)
    values = sign * np.array([given[item_id] for item_id in here.index], float)
    target, passing, weight = (here[key].to_numpy(float) for key in ("score", "passing", "weight"))
    cluster, at = indexed(here["cluster"]), None
    auc = balanced = undefined(OF_COMPOSITE)
    title = metrics.title(first.metric)
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
        name=f"{title} ({judges[first.judge]})" if len(judges) > 1 else title,
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
            lambda row: _side(row.metric, row.threshold),
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


def diagnosis(
    found: Readings, names: Mapping[int, str], validity: Sequence[Validity] = ()
) -> list[dict[str, Any]]:
    """Return every metric with advice and failing answers.

    The metric that predicts annotators best comes first, as one that fails every answer tells none
    from another. Others follow by the share they fail.

    Args:
        found: The records of a sheet.
        names: The name of each answer by item id.
        validity: What `against` found.

    Returns:
        Of each the `advice`, the `threshold` at which an answer begins to fail (one at it passes),
        how many are `failing` with their share as `mean`, and these answers, the worst first.
    """
    known = [(one.metric, one.judge) for one in validity if not _is_unknown(one)]
    places = {series: place for place, series in enumerate(known)}

    def place(row: dict[str, Any]) -> tuple[int, float]:
        return places.get((row["metric"], row["judge"]), len(known)), -row["mean"].value

    made = (_failing(same, names) for same in by_reading(found.records).values())
    return sorted(filter(None, made), key=place)


def _failing(same: list[Record], names: Mapping[int, str]) -> dict[str, Any] | None:
    first, metric = same[0], metrics.available().get(same[0].metric)
    if metric is None or not metric.when_low:
        return None
    low, high = bounds(first.metric, first.switches)
    sign, at = _sign(first.metric), (max(low, 0.0) + high) / 2  # a negative similarity counts as 0
    scored = [one for one in same if one.value is not None]
    failing = [one for one in scored if sign * one.value < sign * at]
    if not failing:
        return None
    failing.sort(key=lambda one: (sign * one.value, one.item_id))
    return {
        "metric": first.metric,
        "judge": first.judge,
        "advice": metric.when_low,
        "threshold": at,
        "failing": len(failing),
        **figure([one._replace(value=float(sign * one.value < sign * at)) for one in scored]),
        "items": [names[one.item_id] for one in failing],
    }


def diagnosis_table(found: Sequence[Mapping[str, Any]]) -> Table:
    """Return a row for each metric with its failing answers."""
    parts = (
        ("metric", lambda row: metrics.title(row["metric"])),
        ("judge", "judge"),
        (Column("failing", "count"), "failing"),
        (Column("answers", "count"), "n"),
        (Column("share", "share"), "mean"),
        ("passes at", lambda row: _side(row["metric"], row["threshold"])),
        ("what to do", "advice"),
    )
    return table_of("failing", found, parts, "Failing answers")


def _side(metric: str, threshold: float | None) -> str | None:
    """Return which values pass at a threshold, as `≥ 0.5`."""
    return None if threshold is None else f"{'≥' if _sign(metric) > 0 else '≤'} {threshold:.3g}"
