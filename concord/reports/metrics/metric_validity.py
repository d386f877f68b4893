"""Metric validity: metrics against annotators' grades, fitted thresholds, and failing answers.

The AUC shows how well a metric separates the answers annotators pass from those they fail.

Half of the questions choose a threshold and the other half measure its accuracy. Questions of the
few-shot pool cannot choose it: they have no metric values. Nothing is replaced: what fails
elsewhere fails by the default threshold.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from concord import metrics
from concord.messages import Said, counted, joined, said
from concord.model import Sheet
from concord.reports.cells import written
from concord.reports.charts import Dots, dots
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
)
from concord.reports.metrics.metric_words import word
from concord.reports.panel import unit_words
from concord.reports.panel.panel import COMPOSITE, Panel
from concord.reports.panel.panel import read as read_panel
from concord.reports.panel.provenance import worded
from concord.reports.panel.threshold_fit import OF_COMPOSITE, ThresholdFit, annotators, passed
from concord.reports.panel.threshold_fit import fitted as fitted_on_panel
from concord.reports.panel.unit_words import criterion_of
from concord.stats.agreement import rank_correlation
from concord.stats.core.estimate import Estimate, undefined
from concord.stats.core.minimums import METRIC_FLOOR
from concord.store import items
from concord.store.database import Store
from concord.store.rubrics import rubric_versions

NOBODY = said("No annotator has graded whole answers yet")


class Series(NamedTuple):
    """One metric by one judge under one reading: its first numbers, by item id.

    `sign` is -1 where less of it is better, so that all series rise with what is good.
    """

    metric: str
    title: str
    judge: str
    version: str
    switches: dict[str, str]
    sign: int
    values: dict[int, float]

    def called(self, among: Sequence["Series"] = ()) -> str:
        """The title of the series, with judge and reading where others have the same title."""
        same = [one for one in among if one.metric == self.metric and one != self]
        judges = short([self.judge, *(one.judge for one in same)])
        more = [judges[self.judge]] if len(judges) > 1 else []
        if any(one.judge == self.judge for one in same):
            more.append(joined(", ", map(word, self.switches.values())))
        if not more:
            return self.title
        return said("{metric} ({more})", metric=self.title, more=joined(", ", more))


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


@dataclass(frozen=True)
class Lead:
    """Lead of the best series over the second, on `n` answers with values of both."""

    over: str
    n: int
    ahead: Estimate = field(metadata=FLAT)


def series(found: Readings) -> list[Series]:
    """Return every metric with values, by judge and reading."""
    scored = by_reading(one for one in found.records if one.value is not None)
    return [_series(same) for same in scored.values()]


def against_annotators(every: Sequence[Series], panel: Panel, criterion: str) -> list[Validity]:
    """Return how well each series predicts annotators, the best first."""
    grades = annotators(panel, criterion)
    passes = None if criterion == COMPOSITE else passed(panel, criterion)
    rows = [_validity(one, every, grades, passes) for one in every]
    return sorted(rows, key=lambda row: (not _is_known(row), -(row.correlation.value or 0)))


def lead(
    rows: Sequence[Validity], every: Sequence[Series], panel: Panel, criterion: str
) -> Lead | None:
    """Return the lead of the best over the second; None where fewer than two are known."""
    known = [row for row in rows if _is_known(row)]
    if len(known) < 2:
        return None
    grades = annotators(panel, criterion)
    by_key = {(one.judge, one.version): one for one in every}
    first, second = (by_key[row.judge, row.version] for row in known[:2])
    shared = [i for i in first.values if i in second.values and i in grades]
    one, other = (_values(side, shared) for side in (first, second))
    target, cluster, weight = _targets(grades, shared)
    found = rank_correlation.lead(one, other, target, cluster, weight)
    return Lead(known[1].name, len(shared), found)


def headline(rows: Sequence[Validity], ahead: Lead | None, criterion: str, who: str) -> Said:
    """Return which metric predicts annotators best, or that none is shown to, in one sentence."""
    if not any(row.n for row in rows):
        return NOBODY
    best = next(filter(_is_known, rows), None)
    about = {"who": who, "criterion": criterion}
    if best is None or not _is_positive(best):
        return said("No metric is shown to correlate with {who} on {criterion}", **about)
    leads = ahead is not None and ahead.ahead.low is not None and ahead.ahead.low > 0
    return said(
        "{metric} correlates best with {who} on {criterion}"
        if leads
        else "{metric} correlates best with {who} on {criterion} so far",
        metric=best.name,
        **about,
    )


def comparison(rows: Sequence[Validity], ahead: Lead | None) -> str:
    """Return the correlation of the best, and how far it is ahead of the second."""
    best = next(filter(_is_known, rows), None)
    if best is None:
        return ""
    n, figure = counted(best.n, "answer"), written(best.correlation, "number")
    found = said("Rank correlation {figure} on {n}.", figure=figure, n=n)
    if ahead is None or not _is_positive(best):
        return found
    by = written(ahead.ahead, "difference")
    second = said("Ahead of {over} by {by}.", over=ahead.over, by=by)
    return joined(" ", [found, second])


def _is_positive(row: Validity) -> bool:
    """True where the correlation, or its lower limit where it has one, is above 0."""
    found = row.correlation
    return (found.value if found.low is None else found.low) > 0


def validity_table(rows: Sequence[Validity]) -> Table:
    """Return a row for each series, with its correlation and AUC."""
    judges = short(row.judge for row in rows)
    parts = (
        ("metric", "name"),
        (Column("rank correlation", "number"), "correlation"),
        (Column("AUC", "number"), "auc"),
        (Column("n", "count"), "n"),
        (Column("clusters of questions", "count"), "questions"),
        ("judge", lambda row: judges[row.judge]),
    )
    return table_of("annotators", rows, parts, "Correlation with annotators")


def chart(rows: Sequence[Validity], criterion: str, finding: str) -> Dots | None:
    """Return the highest correlations with annotators' grades; None where none is defined."""
    known = [row for row in rows if row.correlation.value is not None][:_DRAWN]
    if not known:
        return None
    axis = said("rank correlation with annotators' {criterion}", criterion=criterion)
    parts = (
        (Column("metric"), "name"),
        (Column(axis, "number"), "correlation"),
        (Column("n", "count"), "n"),
    )
    return dots(table_of("annotators", known, parts, finding), "metrics", 0.0)


_DRAWN = 12


def pair_table(pairs: Sequence[Mapping[str, Any]]) -> Table:
    """Return a row for every two series with a correlation, the strongest first."""
    known = [one for one in pairs if one["value"] is not None]
    parts = (
        ("metric", lambda one: one["one"]),
        ("and", lambda one: one["other"]),
        (Column("n", "count"), lambda one: one["n"]),
        (Column("rank correlation", "number"), lambda one: one["value"]),
    )
    return table_of("correlations", sorted(known, key=lambda one: -abs(one["value"])), parts)


def among(every: Sequence[Series]) -> list[dict[str, Any]]:
    """Return Spearman's correlation of every two series on the answers with values of both."""
    found = []
    for one, other in combinations(every, 2):
        shared = [i for i in one.values if i in other.values]
        value = rank_correlation.point(_values(one, shared), _values(other, shared))
        few = len(shared) < METRIC_FLOOR
        why = rank_correlation.TOO_FEW if few else rank_correlation.CONSTANT
        found.append(
            {
                "one": one.called(every),
                "other": other.called(every),
                "same": one.metric == other.metric,
                "n": len(shared),
                "value": value,
                "why_none": why if value is None else None,
            }
        )
    return found


def _series(same: Sequence[Record]) -> Series:
    one, values = same[0], {record.item_id: record.value for record in same}
    found = metrics.available().get(one.metric)
    title = found.title if found else one.metric
    sign = -1 if found and found.better == "lower" else 1
    return Series(one.metric, title, one.judge, one.version, dict(one.switches), sign, values)


def _validity(one: Series, every: Sequence[Series], grades: dict, passes: dict | None) -> Validity:
    shared = [item_id for item_id in one.values if item_id in grades]
    values, (target, cluster, weight) = _values(one, shared), _targets(grades, shared)
    found = rank_correlation.spearman(values, target, cluster, weight)
    good, auc = None, undefined(OF_COMPOSITE)
    if passes is not None:
        good = np.array([passes[item_id] for item_id in shared], float)
        auc = rank_correlation.auc(values, good, cluster, weight)
    return Validity(
        metric=one.metric,
        judge=one.judge,
        version=one.version,
        switches=one.switches,
        name=one.called(every),
        n=len(shared),
        questions=len(set(cluster.tolist())),
        correlation=found,
        auc=auc,
        passing=None if good is None else float(good.sum()),
    )


def _is_known(row: Validity) -> bool:
    return row.correlation.value is not None


def _values(one: Series, item_ids: Sequence[int]) -> np.ndarray:
    return one.sign * np.array([one.values[item_id] for item_id in item_ids], float)


def _targets(grades: dict, item_ids: Sequence[int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rows = [grades[item_id] for item_id in item_ids]
    target, cluster, weight = zip(*rows, strict=True) if rows else ((), (), ())
    return np.array(target, float), indexed(cluster), np.array(weight, float)


THRESHOLD = 0.5
# Metrics that need contexts and whose advice is about the answering model all the same.
_OF_THE_ANSWER = frozenset({"faithfulness", "vera_faithfulness"})
GIVEN_WHOLE = (
    "Nothing was retrieved: each answer was given its whole document. Check whether that contains "
    "the question and the reference."
)


@dataclass(frozen=True)
class FailingAnswers(MetricMean):
    """The answers that fail by one metric of one judge; the mean is the share that fails.

    Attributes:
        advice: What to look at. It does not mention retrieval where no failing answer had any.
        threshold: The value at which an answer begins to fail.
        item_ids: These answers, the worst first.
        items: Their names; empty until they are named.
    """

    metric: str
    title: str
    better: str
    judge: str
    advice: str
    threshold: float
    failing: int
    item_ids: list[int] = field(metadata=INTERNAL)
    items: list[str] = field(default_factory=list)


def diagnosis_rows(
    found: Readings,
    threshold: float = THRESHOLD,
    thresholds: Mapping[tuple[str, str], float] | None = None,
) -> list[FailingAnswers]:
    """Return every metric with advice and failing answers, the largest share of them first.

    Args:
        found: The records of a sheet.
        threshold: Where an answer begins to fail, as a share of the way from the worst value to the
            best; negative values of a similarity count as 0.
        thresholds: By (judge, metric) the value itself at which an answer begins to fail.
    """
    scored = (one for one in found.records if one.value is not None)
    groups = by_reading(scored).values()
    made = [_failing(same, threshold, thresholds or {}, found.given_whole) for same in groups]
    return sorted((row for row in made if row), key=lambda row: -row.mean)


def by_validity(
    found: Sequence[FailingAnswers], validity: Sequence[Validity]
) -> list[FailingAnswers]:
    """Return rows in the order of `validity`: the metric that predicts annotators best comes first.

    Those of unknown validity come last, as they were: a metric that fails every answer, as exact
    match does with long ones, tells none from another.
    """
    known = [one for one in validity if one.correlation.value is not None]
    places = {(one.metric, one.judge): place for place, one in enumerate(known)}
    return sorted(found, key=lambda row: places.get((row.metric, row.judge), len(known)))


def named(store: Store, sheet: Sheet, found: Sequence[FailingAnswers]) -> list[FailingAnswers]:
    """Return the rows with the names of their answers."""
    names = items.answer_names(store, sheet.id)
    return [replace(row, items=[names[item_id] for item_id in row.item_ids]) for row in found]


def diagnosis_table(
    found: Sequence[FailingAnswers], called: Callable[[str], str] = str, most: int | None = 3
) -> Table:
    """Return a row for each metric with its failing answers, the worst of which it names.

    Args:
        found: The rows.
        called: A metric's name as it is shown.
        most: So many answers are named; None names all.
    """
    parts = (
        (Column("metric"), lambda row: called(row.metric)),
        (Column("judge"), "judge"),
        (Column("failing", "count"), "failing"),
        (Column("answers", "count"), "n"),
        (Column("share", "share"), "estimate"),
        (Column("passes at"), passes),
        (Column("what to do"), "advice"),
        (Column("worst answers"), lambda row: joined(", ", row.items[:most])),
    )
    return table_of("failing", found, parts, "Failing answers")


def passes(row: FailingAnswers) -> str:
    """Return which values pass, as `0.82 or more`; a value at the threshold itself passes."""
    return f"{row.threshold:.2f} or {'less' if row.better == 'lower' else 'more'}"


def _failing(
    same: list[Record],
    threshold: float,
    thresholds: Mapping[tuple[str, str], float],
    whole: frozenset[int],
) -> FailingAnswers | None:
    metric = metrics.available().get(same[0].metric)
    if metric is None or not metric.when_low:
        return None
    low, high = bounds(metric.name, same[0].switches)
    sign = -1 if metric.better == "lower" else 1
    worst, best = (max(low, 0.0), high) if sign > 0 else (high, max(low, 0.0))
    at = thresholds.get((same[0].judge, metric.name), worst + threshold * (best - worst))
    failing = [one for one in same if sign * one.value < sign * at]
    if not failing:
        return None
    failing.sort(key=lambda one: (sign * one.value, one.item_id))
    item_ids = [one.item_id for one in failing]
    shares = figure([one._replace(value=float(sign * one.value < sign * at)) for one in same])
    of_contexts = {"retrieved", "contexts"} & {*metric.needs} and metric.name not in _OF_THE_ANSWER
    return FailingAnswers(
        **vars(shares),
        metric=metric.name,
        title=metric.title,
        better=metric.better,
        judge=same[0].judge,
        advice=GIVEN_WHOLE if of_contexts and whole.issuperset(item_ids) else metric.when_low,
        threshold=at,
        failing=len(failing),
        item_ids=item_ids,
    )


@dataclass(frozen=True)
class FittedThreshold(ThresholdFit):
    """The fitted threshold of a metric; `better` is `higher` or `lower`."""

    metric: str
    judge: str
    version: str
    name: str
    better: str


def threshold_rows(
    every: Sequence[Series],
    panel: Panel,
    criterion: str,
    usual: Mapping[tuple[str, str], float] | None = None,
) -> list[FittedThreshold]:
    """Fit a threshold for every series on half of the questions and read it on the others.

    Args:
        every: The series.
        panel: Annotators' grades.
        criterion: A criterion; its failing scores say what annotators fail.
        usual: By (judge, metric) the default where it is not the middle of the range.
    """
    return [_row(one, every, panel, criterion, usual or {}) for one in every]


def table(found: Sequence[FittedThreshold]) -> Table:
    """Return the thresholds with their accuracy and that of the default."""

    def at(row: FittedThreshold, value: float | None) -> str | None:
        sign = "≥" if row.better == "higher" else "≤"
        return None if value is None else f"{sign} {value:.3g}"

    parts = (
        ("metric", "name"),
        ("passes at", lambda row: at(row, row.threshold)),
        (Column("balanced accuracy", "number"), "balanced"),
        ("default", lambda row: at(row, row.usual)),
        (Column("accuracy of the default", "number"), "usual_balanced"),
        (Column("difference", "difference"), "gain"),
        (Column("n", "count"), "n"),
    )
    known = [row for row in found if row.threshold is not None]
    return table_of("thresholds", known, parts, "Fitted thresholds")


def _row(
    one: Series,
    every: Sequence[Series],
    panel: Panel,
    criterion: str,
    usual: Mapping[tuple[str, str], float],
) -> FittedThreshold:
    default = usual.get((one.judge, one.metric), _middle(one))
    values = {item_id: one.sign * value for item_id, value in one.values.items()}
    found = fitted_on_panel(
        values, panel, criterion, None if default is None else one.sign * default
    )
    threshold = None if found.threshold is None else one.sign * found.threshold
    return FittedThreshold(
        **vars(replace(found, threshold=threshold, usual=default)),
        metric=one.metric,
        judge=one.judge,
        version=one.version,
        name=one.called(every),
        better="higher" if one.sign > 0 else "lower",
    )


def _middle(one: Series) -> float | None:
    """The middle of a metric's range, in which a negative likeness counts as 0; None without."""
    low, high = bounds(one.metric, one.switches)
    if not np.isfinite([low, high]).all():
        return None
    return max(low, 0.0) + THRESHOLD * (high - max(low, 0.0))


def panel(store: Store, sheet: Sheet, rubric: str | None = None) -> Panel | None:
    """Return annotators' grades of whole answers to compare metrics with; None without any.

    `rubric` is by name; None takes the first under which annotators graded.

    Raises:
        Problem: The rubric is of units; an answer has several of them and no score of its own.
    """
    if rubric:
        chosen = rubric_versions.named(store, rubric)[1]
        unit_words.of_answers(chosen)
    for name in [rubric] if rubric else rubric_versions.graded(store, sheet.id):
        found = read_panel(store, sheet, rubric_versions.named(store, name)[1])
        if found.annotators:
            return found
    return None


@dataclass(frozen=True)
class AgainstAnnotators:
    """Validity of metrics against annotators' grades of a criterion, the best first.

    Attributes:
        fact: What a reader must know of the finding; '' for nothing.
        criterion: The criterion; None where no annotator has graded whole answers.
        called: What the criterion is called in a sentence.
        lead: How far the best is ahead of the second.
    """

    sentence: Said
    fact: str = field(metadata=INTERNAL)
    criterion: str | None = None
    called: str | None = None
    rows: list[Validity] = field(default_factory=list)
    lead: Lead | None = None


def against(every: Sequence[Series], held: Panel | None, criterion: str = "") -> AgainstAnnotators:
    """Compare metrics with annotators' grades of a criterion; '' for the heaviest one."""
    if held is None:
        return AgainstAnnotators(NOBODY, "")
    criterion = criterion or held.rubric.heaviest().name
    invented = _is_simulated(held)
    rows = worded(against_annotators(every, held, criterion), invented)
    ahead = lead(rows, every, held, criterion)
    who = "simulated annotators" if invented else "annotators"
    called = criterion_of(held.rubric, criterion)
    sentence = headline(rows, ahead, called, who)
    return AgainstAnnotators(sentence, comparison(rows, ahead), criterion, called, rows, ahead)


def fitted(
    every: Sequence[Series],
    held: Panel | None,
    criterion: str = "",
    thresholds: Mapping[tuple[str, str], float] | None = None,
) -> list[FittedThreshold]:
    """Return the fitted threshold of each metric; '' for the heaviest criterion."""
    if held is None:
        return []
    found = threshold_rows(every, held, criterion or held.rubric.heaviest().name, thresholds)
    return worded(found, _is_simulated(held))


def _is_simulated(held: Panel) -> bool:
    return any(person.simulated for person in held.annotators.values())
