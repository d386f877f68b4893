"""Fit of a threshold: the number from which annotators pass, chosen on half of the questions.

The other half measures its accuracy.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from concord.reports.panel.criterion_comparison import EACH, reference
from concord.reports.panel.panel import COMPOSITE, Panel
from concord.stats.core.estimate import Estimate, undefined
from concord.stats.core.tables import distinct
from concord.stats.correction import threshold

OF_COMPOSITE = "a composite has no failing scores; choose a criterion"
NO_DEFAULT = "the metric has no default threshold, as it has no range"


class AnnotatorMean(NamedTuple):
    """The mean of annotators' scores of an answer, its cluster and its sampling weight."""

    score: float
    cluster: int
    weight: float


class GradedNumbers(NamedTuple):
    """Numbers of the answers that annotators graded, more being better: arrays (n,).

    `passing` is the share of an answer's annotators who pass it, `fitting` whether it chooses the
    threshold.
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
class ThresholdFit:
    """A fitted threshold, and its accuracy on the questions that did not choose it.

    Attributes:
        n: The answers that did not choose it.
        questions: The questions of these.
        passing: How many of them annotators pass, a sum of shares.
        fitted_on: How many answers (`n`) and `questions` chose it.
        threshold: The number at which an answer passes; None where it cannot be fitted.
        balanced: Its balanced accuracy on the n answers.
        usual: The default threshold; None without one.
        usual_balanced: Balanced accuracy of the default.
        gain: `balanced` minus `usual_balanced`.
        why_none: Why there is no threshold.
    """

    n: int
    questions: int
    passing: float
    fitted_on: dict[str, int]
    threshold: float | None
    balanced: Estimate
    usual: float | None
    usual_balanced: Estimate
    gain: Estimate
    why_none: str | None


def fitted(
    values: Mapping[int, float],
    panel: Panel,
    criterion: str,
    usual: float | None,
) -> ThresholdFit:
    """Fit a threshold on half of the questions and read it on the others.

    `values` are by item id, more being better; `usual` is the default threshold.
    """
    held = _held(values, panel, criterion)
    here, _, cluster, _ = held.side(False)
    why = OF_COMPOSITE if criterion == COMPOSITE else threshold.too_few(*held[:2], held.fitting)
    at, figures = None, [undefined(why or "")] * 3
    if not why:
        chosen, passed_there, _, weight_there = held.side(True)
        at, here_all = threshold.fit(chosen, passed_there, weight_there), held.side(False)
        figures = [threshold.balanced(*here_all, at), *[undefined(NO_DEFAULT)] * 2]
        if usual is not None:
            figures[1] = threshold.balanced(*here_all, usual)
            figures[2] = threshold.gain(*here_all, (at, usual))
    return ThresholdFit(
        n=len(here),
        questions=distinct(cluster),
        passing=float(held.side(False)[1].sum()),
        fitted_on={"n": int(held.fitting.sum()), "questions": distinct(held.cluster[held.fitting])},
        threshold=at,
        balanced=figures[0],
        usual=usual,
        usual_balanced=figures[1],
        gain=figures[2],
        why_none=why,
    )


def annotators(panel: Panel, criterion: str) -> dict[int, AnnotatorMean]:
    """Return the mean of annotators' scores of a criterion by item id."""
    return {
        item_id: AnnotatorMean(mean, int(panel.cluster[place]), float(panel.weight[place]))
        for place, item_id, mean in _means(panel, criterion, lambda score: score)
    }


def passed(panel: Panel, criterion: str) -> dict[int, float]:
    """Return the share of its annotators who pass it, by item id; empty for a composite."""
    if criterion == COMPOSITE:
        return {}
    failing = sorted(panel.rubric.failing(panel.rubric.criterion(criterion)))
    shares = _means(panel, criterion, lambda score: ~np.isin(score, failing))
    return {item_id: share for _, item_id, share in shares}


def _means(
    panel: Panel, criterion: str, of: Callable[[np.ndarray], np.ndarray]
) -> Iterator[tuple[int, int, float]]:
    """Yield index, id and mean over its annotators' scores of each item that annotators scored."""
    each = reference(panel, criterion, EACH)
    mean = each._replace(score=of(each.score)).means()
    item_ids = panel.items["item_id"].to_numpy()
    for place in np.flatnonzero(~np.isnan(mean)):
        yield int(place), int(item_ids[place]), float(mean[place])


def _held(values: Mapping[int, float], panel: Panel, criterion: str) -> GradedNumbers:
    graded, passes = annotators(panel, criterion), passed(panel, criterion)
    shared = [item_id for item_id in values if item_id in passes]
    clusters = [graded[item_id].cluster for item_id in shared]
    first: dict[int, int] = {}  # identifies a cluster for good, also after further grades
    for item_id, of in sorted(zip(panel.items["item_id"], panel.cluster, strict=True)):
        first.setdefault(int(of), int(item_id))
    return GradedNumbers(
        np.array([values[item_id] for item_id in shared], float),
        np.array([passes[item_id] for item_id in shared], float),
        np.unique(np.array(clusters, np.int64), return_inverse=True)[1],
        np.array([graded[item_id].weight for item_id in shared], float),
        threshold.fits([first[of] for of in clusters]),
    )
