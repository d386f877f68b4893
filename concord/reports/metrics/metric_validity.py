"""Metric validity: the correlation of each metric with annotators' grades of the same answers.

The AUC shows how well a metric separates the answers annotators pass from those they fail.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import NamedTuple

import numpy as np

from concord import metrics
from concord.messages import Said, counted, joined, said
from concord.reports.cells import written
from concord.reports.charts import Dots, dots
from concord.reports.document import FLAT, Column, Table, table_of
from concord.reports.metrics.metric_mean import indexed
from concord.reports.metrics.metric_records import Readings, Record, by_reading, short
from concord.reports.metrics.metric_words import word
from concord.reports.panel.panel import COMPOSITE, Panel
from concord.reports.panel.threshold_fit import OF_COMPOSITE, annotators, passed
from concord.stats.agreement import rank_correlation
from concord.stats.core.estimate import Estimate, undefined
from concord.stats.core.minimums import METRIC_FLOOR

NOBODY = said("No annotator has graded whole answers yet")
UNITS_ELSEWHERE = said(
    "Metrics can be compared with grades of whole answers only. Annotators' labels of claims and "
    "other units are on the screen Agreement."
)


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


@dataclass(frozen=True)
class SeriesPair:
    """Spearman's correlation of two series; `why_none` says why there is no `value`."""

    one: str
    other: str
    same: bool
    n: int
    value: float | None
    why_none: str | None


def series(found: Readings) -> list[Series]:
    """Return every metric with values, by judge and reading."""
    scored = by_reading(one for one in found.records if one.value is not None)
    return [_series(same) for same in scored.values()]


def against_annotators(every: Sequence[Series], panel: Panel, criterion: str) -> list[Validity]:
    """Return how well each series predicts annotators, the best first."""
    grades = annotators(panel, criterion)
    passes = None if criterion == COMPOSITE else passed(panel, criterion)
    rows = [_row(one, every, grades, passes) for one in every]
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
    """Return which metric predicts annotators best, or why that is unknown, in one sentence."""
    most = max((row.n for row in rows), default=0)
    if not most:
        return NOBODY
    known = [row for row in rows if _is_known(row)]
    if not known and most < METRIC_FLOOR:
        return said(
            "Too few answers to say which metric correlates best with {who} on {criterion}: at "
            "most {most:,} have a value and a grade, and {floor} are needed.",
            who=who,
            criterion=criterion,
            most=most,
            floor=METRIC_FLOOR,
        )
    if not known:
        return said(
            "No metric can be compared with {who} on {criterion}: values or grades do not vary",
            who=who,
            criterion=criterion,
        )
    if not any(map(_is_positive, known)):
        return said(
            "No metric has a clearly positive correlation with {who} on {criterion}",
            who=who,
            criterion=criterion,
        )
    if ahead is None:
        return said(
            "Only {metric} can be compared with {who} on {criterion}",
            metric=known[0].name,
            who=who,
            criterion=criterion,
        )
    return said(
        "{metric} correlates best with {who} on {criterion}"
        if _leads(ahead)
        else "{metric} correlates best with {who} on {criterion} so far",
        metric=known[0].name,
        who=who,
        criterion=criterion,
    )


def comparison(rows: Sequence[Validity], ahead: Lead | None) -> str:
    """Return the correlation of the best, and how far it is ahead of the second."""
    best = next(filter(_is_known, rows), None)
    if best is None:
        return ""
    figure = said(
        "Rank correlation {figure} on {answers}.",
        figure=written(best.correlation, "number"),
        answers=counted(best.n, "answer"),
    )
    if ahead is None or not _is_positive(best):
        return figure
    second = said(
        "It is ahead of {over} by {by} on {answers}."
        if _leads(ahead)
        else "Whether it beats {over} is inconclusive: difference {by} on {answers}.",
        over=ahead.over,
        by=written(ahead.ahead, "difference"),
        answers=counted(ahead.n, "answer"),
    )
    return joined(" ", [figure, second])


def _is_positive(row: Validity) -> bool:
    """False where the correlation or its lower confidence limit is 0 or below.

    Without an interval its value alone says.
    """
    found = row.correlation
    least = found.value if found.low is None else found.low
    return least is not None and least > 0


def _leads(ahead: Lead) -> bool:
    return ahead.ahead.low is not None and ahead.ahead.low > 0


def table(rows: Sequence[Validity]) -> Table:
    """Return a row for each series, with its correlation and AUC."""
    judges = short(row.judge for row in rows)
    parts = (
        (Column(said("metric")), lambda row: row.name),
        (Column(said("rank correlation"), "number"), lambda row: row.correlation),
        (Column(said("AUC"), "number"), lambda row: row.auc),
        (Column(said("n"), "count"), lambda row: row.n),
        (Column(said("clusters of questions"), "count"), lambda row: row.questions),
        (Column(said("judge")), lambda row: judges[row.judge]),
        (
            Column(said("undefined because")),
            lambda row: undefined_because(row.correlation, row.auc),
        ),
    )
    return table_of("annotators", rows, parts, sparse=True)


def chart(rows: Sequence[Validity], criterion: str, finding: Said) -> Dots | None:
    """Return the highest correlations with annotators' grades; None where none is defined.

    `finding` is the headline.
    """
    known = [row for row in rows if row.correlation.value is not None][:_DRAWN]
    if not known:
        return None
    axis = said("rank correlation with annotators' {criterion}", criterion=criterion)
    parts = (
        (Column(said("metric")), lambda row: row.name),
        (Column(axis, "number"), lambda row: row.correlation),
        (Column(said("n"), "count"), lambda row: row.n),
    )
    return dots(table_of("annotators", known, parts, finding), "metrics", 0.0)


_DRAWN = 12


def pair_table(pairs: Sequence[SeriesPair]) -> Table:
    """Return a row for every two series, the strongest correlation first."""
    known = sorted(pairs, key=lambda one: -abs(one.value or 0))
    parts = (
        (Column(said("metric")), lambda one: one.one),
        (Column(said("and")), lambda one: one.other),
        (Column(said("n"), "count"), lambda one: one.n),
        (Column(said("rank correlation"), "number"), lambda one: one.value),
        (Column(said("undefined because")), lambda one: one.why_none or ""),
    )
    return table_of("correlations", known, parts, sparse=True)


def undefined_because(*found: Estimate) -> str:
    """Return why estimates or their intervals are undefined, each reason once; '' for none."""
    return joined("; ", dict.fromkeys(one.why_none for one in found if one.why_none))


def among(every: Sequence[Series]) -> list[SeriesPair]:
    """Return the correlation of every two series on the answers that both have values for."""
    found = []
    for one, other in combinations(every, 2):
        shared = [i for i in one.values if i in other.values]
        value = rank_correlation.point(_values(one, shared), _values(other, shared))
        names, same = (one.called(every), other.called(every)), one.metric == other.metric
        few = len(shared) < METRIC_FLOOR
        why = rank_correlation.TOO_FEW if few else rank_correlation.CONSTANT
        why = why if value is None else None
        found.append(SeriesPair(*names, same, len(shared), value, why))
    return found


def closest(pairs: Sequence[SeriesPair]) -> str:
    """Return a sentence on the two most redundant different metrics; '' without any."""
    known = [one for one in pairs if not one.same and one.value is not None]
    if not known:
        return ""
    one = max(known, key=lambda pair: abs(pair.value))
    return said(
        "Highest correlation: {one} and {other}, {value:.2f} on {answers}."
        if one.value >= 0
        else "Lowest correlation: {one} and {other}, {value:.2f} on {answers}.",
        one=one.one,
        other=one.other,
        value=one.value,
        answers=counted(one.n, "answer"),
    )


def _series(same: Sequence[Record]) -> Series:
    one, values = same[0], {record.item_id: record.value for record in same}
    found = metrics.available().get(one.metric)
    title = found.title if found else one.metric
    sign = -1 if found and found.better == "lower" else 1
    return Series(one.metric, title, one.judge, one.version, dict(one.switches), sign, values)


def _row(one: Series, every: Sequence[Series], grades: dict, passes: dict | None) -> Validity:
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
