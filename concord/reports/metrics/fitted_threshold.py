"""Fitted threshold: the metric value from which annotators pass an answer, and the default.

Half of the questions choose the threshold and the other half measure its accuracy. Questions of
the few-shot pool cannot choose it: they have no metric values. Nothing is replaced: what fails
elsewhere fails by the default threshold.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from concord.messages import joined, said
from concord.reports.document import Column, Table
from concord.reports.metrics.diagnosis import CUT
from concord.reports.metrics.metric_mean import bounds, indexed
from concord.reports.metrics.metric_records import short
from concord.reports.metrics.metric_validity import OF_COMPOSITE, Series, annotators, passed
from concord.reports.panel.panel import COMPOSITE, Panel
from concord.stats.core.estimate import Estimate, undefined
from concord.stats.correction import threshold


class _Held(NamedTuple):
    """A series on the answers that annotators graded, more being better: arrays (n,).

    `passing` is the share of an answer's annotators who pass it, `fitting` whether it chooses the
    cut.
    """

    values: np.ndarray
    passing: np.ndarray
    cluster: np.ndarray
    weight: np.ndarray
    fitting: np.ndarray

    def side(self, fitting: bool) -> tuple[np.ndarray, ...]:
        """Values, passing, cluster and weight of the half that chooses, or of the other."""
        of = self.fitting == fitting
        return self.values[of], self.passing[of], self.cluster[of], self.weight[of]


@dataclass(frozen=True)
class FittedOn:
    """The answers and questions that chose a threshold."""

    n: int
    questions: int


@dataclass(frozen=True)
class FittedThreshold:
    """The fitted threshold of a metric and its accuracy on the other questions.

    Attributes:
        better: `higher` or `lower`.
        cut: The value at which an answer passes; None where it cannot be fitted.
        balanced: Its balanced accuracy, as the other figures on the `n` answers to `questions` that
            did not choose it, of which annotators pass `passing`, a sum of shares.
        usual: The default threshold; None for a metric without a range.
        usual_balanced: Balanced accuracy of the default.
        gain: `balanced` minus `usual_balanced`.
        why_none: Why there is no threshold.
    """

    metric: str
    judge: str
    version: str
    name: str
    better: str
    n: int
    questions: int
    passing: float
    fitted_on: FittedOn
    usual: float | None
    why_none: str | None
    cut: float | None
    balanced: Estimate
    usual_balanced: Estimate
    gain: Estimate


def rows(
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
    passes = passed(panel, criterion)
    return [_row(one, every, panel, criterion, passes, usual or {}) for one in every]


def table(found: Sequence[FittedThreshold]) -> Table:
    """Return the thresholds with their accuracy and that of the default."""
    judges = short(row.judge for row in found)
    columns = (
        Column(said("metric")),
        Column(said("judge")),
        Column(said("passes")),
        Column(said("balanced accuracy"), "number"),
        Column(said("default")),
        Column(said("accuracy of the default"), "number"),
        Column(said("difference"), "difference"),
        Column(said("n"), "count"),
        Column(said("questions"), "count"),
        Column(said("annotators pass"), "number"),
        Column(said("fitted on"), "count"),
        Column(said("undefined because")),
    )
    cells = tuple(
        (
            row.name,
            judges[row.judge],
            _at(row, row.cut),
            row.balanced,
            _at(row, row.usual),
            row.usual_balanced,
            row.gain,
            row.n,
            row.questions,
            row.passing,
            row.fitted_on.n,
            row.why_none or joined("; ", _reasons(row)),
        )
        for row in found
    )
    return Table("cuts", columns, cells, said("Thresholds fitted to annotators' grades"))


def _at(row: FittedThreshold, value: float | None) -> str | None:
    return None if value is None else f"{'≥' if row.better == 'higher' else '≤'} {value:.3g}"


def _reasons(row: FittedThreshold) -> list[str]:
    found = (one.why_none for one in (row.balanced, row.usual_balanced, row.gain))
    return list(dict.fromkeys(filter(None, found)))


def _row(
    one: Series,
    every: Sequence[Series],
    panel: Panel,
    criterion: str,
    passes: Mapping[int, float],
    usual: Mapping[tuple[str, str], float],
) -> FittedThreshold:
    held = _held(one, panel, criterion, passes)
    values, passing, cluster, _ = held.side(False)
    default = usual.get((one.judge, one.metric), _middle(one))
    why = OF_COMPOSITE if criterion == COMPOSITE else threshold.too_few(*held[:2], held.fitting)
    at, figures = None, [undefined(why or "")] * 3
    if not why:
        chosen, passed_there, _, weight_there = held.side(True)
        at = threshold.fit(chosen, passed_there, weight_there)
        figures = _read(held.side(False), at, None if default is None else one.sign * default)
    balanced, usual_balanced, gain = figures
    return FittedThreshold(
        metric=one.metric,
        judge=one.judge,
        version=one.version,
        name=one.called(every),
        better="higher" if one.sign > 0 else "lower",
        n=len(values),
        questions=len(set(cluster.tolist())),
        passing=float(passing.sum()),
        fitted_on=FittedOn(int(held.fitting.sum()), len(set(held.cluster[held.fitting].tolist()))),
        usual=default,
        why_none=why,
        cut=None if at is None else one.sign * at,
        balanced=balanced,
        usual_balanced=usual_balanced,
        gain=gain,
    )


def _read(here: tuple[np.ndarray, ...], at: float, usual: float | None) -> list[Estimate]:
    """Return the accuracy of both thresholds, and the gain, on answers that chose neither."""
    mine = threshold.balanced(*here, at)
    if usual is None:
        none = undefined(said("the metric has no default threshold, as it has no range"))
        return [mine, none, none]
    return [mine, threshold.balanced(*here, usual), threshold.gain(*here, (at, usual))]


def _held(one: Series, panel: Panel, criterion: str, passes: Mapping[int, float]) -> _Held:
    graded = annotators(panel, criterion)
    shared = [item_id for item_id in one.values if item_id in passes]
    cluster = indexed(graded[item_id][1] for item_id in shared)
    first: dict[int, int] = {}  # what tells a cluster for good, whoever grades more of it
    for item_id, of in sorted(zip(panel.items["item_id"], panel.cluster, strict=True)):
        first.setdefault(int(of), int(item_id))
    return _Held(
        one.sign * np.array([one.values[item_id] for item_id in shared], float),
        np.array([passes[item_id] for item_id in shared], float),
        cluster,
        np.array([graded[item_id][2] for item_id in shared], float),
        threshold.fits([first[graded[item_id][1]] for item_id in shared]),
    )


def _middle(one: Series) -> float | None:
    """The middle of a metric's range, in which a negative likeness counts as 0; None without."""
    low, high = bounds(one.metric, one.switches)
    if not np.isfinite([low, high]).all():
        return None
    return max(low, 0.0) + CUT * (high - max(low, 0.0))
