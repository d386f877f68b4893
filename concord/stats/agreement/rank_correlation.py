"""Rank: how far two numbers of the same answers rise together, with intervals by question.

`auc` is the same where one of the two is no number but annotators' pass or fail, and a pass
threshold of a metric is fitted on some questions and evaluated on others.

Balanced accuracy is the mean of two shares: of the answers annotators pass, those at the threshold
or above; of the answers they fail, those below. A threshold that says the same of every answer has
.5, however many of them pass. A threshold fitted to answers and read on the same is flattered: with
numbers that have nothing to do with annotators, the best threshold of 30 answers reaches .61 on
these and .50 on 30 others (means of 400 made sheets, 70 percent passing). So half of the questions
choose it and the other half judge it. There the interval holds the true value in .91 of sheets at
15 questions, .93-.96 at 20 to 90 (600 sheets each, 2 or 3 answers to a question, .4 of their spread
shared).
"""

from collections.abc import Callable, Sequence

import numpy as np

from concord.stats.core.estimate import Estimate, Reason, reason, undefined
from concord.stats.core.minimums import EACH_SIDE_FLOOR, METRIC_FLOOR, QUESTION_FLOOR
from concord.stats.core.tables import NEGLIGIBLE
from concord.stats.intervals.resampling import FISHER, LeftOut, jackknife, leave_out

TOO_FEW = reason("too_few_answers_for_rank_correlation", n=METRIC_FLOOR)
CONSTANT = reason("one_side_constant")


def spearman(
    one: np.ndarray, other: np.ndarray, cluster: np.ndarray, weight: np.ndarray | None = None
) -> Estimate:
    """Return Spearman's rank correlation with its question jackknife interval on Fisher's z.

    Ranks are mid-ranks of the weighted sample, recomputed for every jackknife replicate.

    All are (n,); weights are positive, else 1.

    Returns:
        -1 to 1; undefined under 30 answers or where one side does not vary.
    """
    if len(one) < METRIC_FLOOR:
        return undefined(TOO_FEW)
    found = _without_each([one, other], cluster, weight, lambda ranks, w: _pearson(*ranks, w))
    return jackknife(found, lambda values: values, FISHER, (-1.0, 1.0), CONSTANT)


def auc(
    values: np.ndarray, passing: np.ndarray, cluster: np.ndarray, weight: np.ndarray | None = None
) -> Estimate:
    """Return the area under the ROC curve (Mann and Whitney 1947), 0 to 1; .5 is chance.

    It is the probability that a passing answer has a larger value than a failing one; ties count
    half. An answer is never compared with itself, even where its annotators differ. The interval is
    the question jackknife's on Fisher's z of twice the area less 1.

    All are (n,): values, larger is better; the share of an answer's annotators who pass it; its
    cluster; its positive weight, else 1.

    Returns:
        Undefined under 30 answers, or where annotators pass or fail fewer than 5 of them.
    """
    if len(values) < METRIC_FLOOR:
        return undefined(reason("too_few_answers_for_auc", n=METRIC_FLOOR))
    for share, verb in ((passing, reason("pass")), (1 - passing, reason("fail"))):
        if share.sum() < EACH_SIDE_FLOOR:
            few = {"verb": verb, "n": share.sum(), "least": EACH_SIDE_FLOOR}
            return undefined(reason("too_few_of_a_class", **few))
    found = _without_each([values], cluster, weight, lambda ranks, w: _ahead(*ranks, passing, w))
    twice = jackknife(found, lambda ahead: ahead, FISHER, (-1.0, 1.0), CONSTANT)
    if twice.value is None:
        return twice
    low, high = (None if end is None else (1 + end) / 2 for end in (twice.low, twice.high))
    return twice._replace(value=(1 + twice.value) / 2, low=low, high=high)


def _without_each(
    columns: Sequence[np.ndarray],
    cluster: np.ndarray,
    weight: np.ndarray | None,
    statistic: Callable[[list[np.ndarray], np.ndarray], float],
) -> LeftOut:
    """The statistic on all questions, then without each of them, as the jackknife takes it."""
    weight = np.ones(len(cluster)) if weight is None else np.asarray(weight, float)
    # Once: only the weights change from replicate to replicate, so nothing has to be sorted again.
    coded = [coded_values(values) for values in columns]
    questions, group = np.unique(cluster, return_inverse=True)

    def of(weights: np.ndarray) -> float:
        return statistic([midranks(*one, weights) for one in coded], weights)

    values = [of(weight)]
    if len(questions) >= QUESTION_FLOOR:
        values += [of(np.where(group == place, 0, weight)) for place in range(len(questions))]
    deleted = len(values) - 1
    return LeftOut(np.array(values), np.ones(deleted), np.bincount(group, weight)[None, :deleted])


def coded_values(values: np.ndarray) -> tuple[np.ndarray, int]:
    """Return the rank of each value among the distinct ones, from 0, and their number."""
    different, code = np.unique(values, return_inverse=True)
    return code, len(different)


def midranks(code: np.ndarray, size: int, weight: np.ndarray) -> np.ndarray:
    """Return (n,) the weight below each value plus half of its own."""
    mass = np.bincount(code, weights=weight, minlength=size)
    return (np.cumsum(mass) - mass / 2)[code]


def _ahead(ranks: np.ndarray, passing: np.ndarray, weight: np.ndarray) -> float:
    """The share of pairs (passed, failed) in order less that out of it; NaN without a pair."""
    good, bad = weight * passing, weight * (1 - passing)
    # An answer that annotators disagree on is in both classes and must not be paired with itself.
    itself = good @ bad
    pairs = good.sum() * bad.sum() - itself
    if pairs < NEGLIGIBLE:
        return np.nan
    # of the mass below a passed answer, that of the passed ones comes to half their pairs
    below = good @ ranks - good.sum() ** 2 / 2 - itself / 2
    return float(np.clip(2 * below / pairs - 1, -1, 1))


def _pearson(one: np.ndarray, other: np.ndarray, weight: np.ndarray) -> float:
    """The weighted correlation; NaN where one side is constant."""
    total = weight.sum()
    one, other = ((side - (weight @ side) / total) / total for side in (one, other))
    spread = [weight @ side**2 for side in (one, other)]
    if min(spread) < NEGLIGIBLE:
        return np.nan
    return float(np.clip(weight @ (one * other) / np.sqrt(spread[0] * spread[1]), -1, 1))


THRESHOLD_SEED = 40427
METRIC_CONSTANT = reason("metric_constant")
TWO_VALUED = reason("metric_two_valued")


def choosing(keys: Sequence[int]) -> np.ndarray:
    """Return (n,) True for the questions of the half that chooses the threshold.

    A question's half is chosen by its own key, so that it does not change when others are added.
    """
    found = {key: np.random.default_rng([THRESHOLD_SEED, key]).random() < 0.5 for key in set(keys)}
    return np.array([found[key] for key in keys], bool)


def too_few_for_threshold(
    values: np.ndarray, passing: np.ndarray, fitting: np.ndarray
) -> Reason | None:
    """Return why no threshold can be fitted and evaluated; None where one can.

    All are (n,): metric values, larger is better; the share of an answer's annotators who pass it;
    whether its question chooses the threshold.
    """
    if len(values) < METRIC_FLOOR:
        return reason("too_few_answers_for_threshold", n=len(values), least=METRIC_FLOOR)
    different = len(np.unique(values))
    if different < 3:
        return METRIC_CONSTANT if different == 1 else TWO_VALUED
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


def fit_threshold(values: np.ndarray, passing: np.ndarray, weight: np.ndarray) -> float | None:
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


def threshold_accuracy(
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
