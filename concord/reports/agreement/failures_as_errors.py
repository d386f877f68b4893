"""Failures as errors: statistics with every answer a judge left unscored counted as an error.

An answer a judge refuses, truncates or garbles has no grade and enters no statistic. A judge that
fails on hard answers would look better for it, so the statistics are also given as if each of those
answers were a disagreement.
"""

from typing import NamedTuple

import numpy as np

from concord.model import Grader
from concord.reports.agreement.results import AS_ERRORS, WorstCase
from concord.reports.panel.criterion_comparison import CriterionPanel, PairStatistics
from concord.reports.panel.panel import COMPOSITE, INCOMPLETE, STATUS_NAMES, Panel
from concord.stats.agreement.failure_recall import NONE_FAILED
from concord.stats.core.clustered import effective_number
from concord.stats.core.estimate import Estimate, undefined
from concord.stats.core.pairs import Pairs
from concord.stats.intervals.wilson import proportion
from concord.stats.statistics import NOT_FOR_COMPOSITES


class _Base(NamedTuple):
    """Denominator of a share: existing scores, and lost ones.

    Attributes:
        weight: (C,) summed weight by cluster.
        units: How many equally weighted scores it amounts to.
    """

    weight: np.ndarray
    units: float

    @classmethod
    def of(cls, panel: Panel, pairs: Pairs, item: np.ndarray, lost: np.ndarray) -> "_Base":
        """The pairs together with lost items of these weights, which may be there repeatedly."""
        weight, cluster = np.r_[pairs.weight, lost], np.r_[pairs.cluster, panel.cluster[item]]
        by_cluster = np.bincount(cluster, weight, int(panel.cluster.max()) + 1)
        return cls(by_cluster, float(effective_number(weight)))

    def share(self, pairs: Pairs, hit: np.ndarray) -> Estimate:
        """The weight of the pairs that hit, as a share of all."""
        hits = np.bincount(pairs.cluster, pairs.weight * hit, len(self.weight))
        return proportion(hits, self.weight, self.units)


def worst_case(on: CriterionPanel, judge: Grader, judged: PairStatistics) -> WorstCase:
    """Return the statistics with failures as errors, and how many answers were scored and not.

    Where the judge left nothing unscored these are its own. Undefined for the composite.
    """
    status, (has, _) = on.panel.numbers(on.name, judge.id).status, on.left_out()
    # Asked about, with a reference, and left unscored.
    failed = has & (status > 0) & (status != STATUS_NAMES.index(INCOMPLETE))
    matched, lost = judged.n, int(failed.sum())
    skipped = int(has.sum()) - matched - lost
    return WorstCase(matched, lost, skipped, _figures(on, judge, judged, failed))


def _figures(
    on: CriterionPanel, judge: Grader, judged: PairStatistics, failed: np.ndarray
) -> dict[str, Estimate]:
    if on.name == COMPOSITE:
        return dict.fromkeys(AS_ERRORS, undefined(NOT_FOR_COMPOSITES))
    numbers = on.mean is not None or on.panel.is_continuous(on.name, judge.id)
    if not failed.any() or numbers:  # undefined where grades are continuous
        return {name: judged.figures[name] for name in AS_ERRORS}
    pairs, items = judged.pairs, np.flatnonzero(failed)
    apart, near = np.abs(pairs.judge - pairs.annotator), judged.figures["within_one"]
    whole = _Base.of(on.panel, pairs, items, on.panel.weight[items])
    return {
        "exact": whole.share(pairs, apart == 0),
        "within_one": near if near.value is None else whole.share(pairs, apart <= 1),
        "failure_recall": _recall(on, judged, failed),
    }


def _recall(on: CriterionPanel, judged: PairStatistics, failed: np.ndarray) -> Estimate:
    """Return `failure_recall` with the failing answers the judge left unscored as missed."""
    failing = list(on.panel.rubric.failing(on.criterion))
    pairs = judged.pairs.where(np.isin(judged.pairs.annotator, failing))
    lost = failed[on.annotators.item] & np.isin(on.annotators.score, failing)
    item = on.annotators.item[lost]
    if not len(pairs.item) + len(item):
        return undefined(NONE_FAILED)
    annotators = np.bincount(on.annotators.item, minlength=len(failed))
    whole = _Base.of(on.panel, pairs, item, on.panel.weight[item] / annotators[item])
    return whole.share(pairs, np.isin(pairs.judge, failing))
