"""Pass threshold of a metric, fitted on some questions and evaluated on others.

Balanced accuracy is the mean of two shares: of the answers annotators pass, those at the threshold
or above; of the answers they fail, those below. A threshold that says the same of every answer has
.5, however many of them pass. A threshold fitted to answers and read on the same is flattered: with
numbers that have nothing to do with annotators, the best threshold of 30 answers reaches .61 on
these and .50 on 30 others (means of 400 made sheets, 70 percent passing). So half of the questions
choose it and the other half judge it. There the interval holds the true value in .91 of sheets at
15 questions, .93-.96 at 20 to 90 (600 sheets each, 2 or 3 answers to a question, .4 of their spread
shared).
"""

from collections.abc import Sequence

import numpy as np

from concord.stats.core.estimate import Estimate, Reason, reason
from concord.stats.core.minimums import EACH_SIDE_FLOOR, METRIC_FLOOR
from concord.stats.intervals.resampling import jackknife, leave_out

SEED = 40427
CONSTANT = reason("metric_constant")
TWO_VALUED = reason("metric_two_valued")


def fits(keys: Sequence[int]) -> np.ndarray:
    """Return (n,) True for the questions of the half that chooses the threshold.

    A question's half is chosen by its own key, so that it does not change when others are added.
    """
    found = {key: np.random.default_rng([SEED, key]).random() < 0.5 for key in set(keys)}
    return np.array([found[key] for key in keys], bool)


def too_few(values: np.ndarray, passing: np.ndarray, fitting: np.ndarray) -> Reason | None:
    """Return why no threshold can be fitted and evaluated; None where one can.

    All are (n,): metric values, larger is better; the share of an answer's annotators who pass it;
    whether its question chooses the threshold.
    """
    if len(values) < METRIC_FLOOR:
        return reason("too_few_answers_for_threshold", n=len(values), least=METRIC_FLOOR)
    different = len(np.unique(values))
    if different < 3:
        return CONSTANT if different == 1 else TWO_VALUED
    halves = (
        (fitting, reason("half_that_chooses")),
        (~fitting, reason("half_that_judges")),
    )
    for side, half in halves:
        for share, verb in ((passing[side], reason("pass")), (1 - passing[side], reason("fail"))):
            if share.sum() < EACH_SIDE_FLOOR:
                return reason(
                    "too_few_of_a_class_in_half",
                    half=half,
                    verb=verb,
                    n=share.sum(),
                    least=EACH_SIDE_FLOOR,
                )
    return None


def fit(values: np.ndarray, passing: np.ndarray, weight: np.ndarray) -> float | None:
    """Return the threshold with the highest balanced accuracy; None where none divides the answers.

    It lies halfway between two neighbouring numbers; of several that are equally good the middle
    one is taken, the lower of two.

    All are (n,), as for `too_few`; weights are positive.
    """
    different, code = np.unique(values, return_inverse=True)
    good, bad = weight * passing, weight * (1 - passing)
    if len(different) < 2 or not good.sum() or not bad.sum():
        return None
    kept = 1 - np.cumsum(np.bincount(code, weights=good))[:-1] / good.sum()
    caught = np.cumsum(np.bincount(code, weights=bad))[:-1] / bad.sum()
    balanced = (kept + caught) / 2
    (best,) = np.nonzero(np.isclose(balanced, balanced.max(), rtol=0, atol=1e-12))
    # Of equally good thresholds the middle one, which is farthest from where results change.
    place = best[(len(best) - 1) // 2]
    return float((different[place] + different[place + 1]) / 2)


def balanced(
    values: np.ndarray,
    passing: np.ndarray,
    cluster: np.ndarray,
    weight: np.ndarray,
    threshold: float,
) -> Estimate:
    """Balanced accuracy of a threshold, 0 to 1, with its interval by question; .5 is chance."""
    rows = _rows(values >= threshold, passing, cluster, weight)
    return jackknife(leave_out(rows, 1, 3), _accuracy, bounds=(0.0, 1.0), why_none=_none(passing))


def _rows(
    above: np.ndarray, passing: np.ndarray, cluster: np.ndarray, weight: np.ndarray
) -> np.ndarray:
    """(G, 4) per question: passed and above, passed, failed and below, failed."""
    _, group = np.unique(cluster, return_inverse=True)
    good, bad = weight * passing, weight * (1 - passing)
    columns = (good * above, good, bad * ~above, bad)
    return np.stack([np.bincount(group, weights=one) for one in columns], axis=-1)


def _accuracy(sums: np.ndarray) -> np.ndarray:
    with np.errstate(divide="ignore", invalid="ignore"):
        return (sums[..., 0] / sums[..., 1] + sums[..., 2] / sums[..., 3]) / 2


def _none(passing: np.ndarray) -> Reason:
    return reason("all_pass" if passing.all() else "all_fail")
