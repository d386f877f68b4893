"""Proper scores: how good the probabilities are that a judge gives to the scores of a scale.

Each is a mean over pairs of an answer's probabilities and an annotator's grade, so that an answer
with several annotators is compared with each of them; 0 is perfect, and a judge cannot do better
than to say what it believes (Gneiting and Raftery 2007). The probabilities are those on the scale,
normalised. 95 percent intervals are the delete-one-question jackknife.

The base rate is a judge that knows nothing of the answer and says how often annotators give each
score. Its probabilities for an answer are the annotators' grades of all other questions, as it must
not know the answer's own; that is the honest zero of the skill.

Sources: Epstein (1969), Murphy (1971) and, for the division by the steps, Weigel et al. (2007) for
the ranked probability score; Brier (1950); Good (1952) for the log score.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from concord.stats.core.estimate import Estimate, reason, undefined
from concord.stats.core.pairs import Pairs
from concord.stats.core.tables import NEGLIGIBLE, distinct, positions, ranked, ratio
from concord.stats.intervals.resampling import (
    LOGIT,
    PLAIN,
    ROOT,
    Statistic,
    Stretch,
    jackknife,
    leave_out,
)
from concord.stats.probabilities.reading import normalised

NOTHING = reason("nothing_to_compare")
ONE_QUESTION = reason("base_rate_needs_questions")
NO_SPREAD = reason("one_score_annotated")
_DECIMALS = 9


class Scores(NamedTuple):
    """Proper scores of probabilities against annotators' grades; smaller is better but for skill.

    Attributes:
        rps: Ranked probability score, 0 to 1: the squared differences of cumulative probabilities
            over the K - 1 steps of the scale, divided by K - 1. With two scores it is half of the
            Brier score.
        rps_base_rate: That of the base rate.
        rps_skill: 1 - rps / rps_base_rate: 1 is perfect, 0 no better than the base rate.
        brier: Brier's own: the squared differences summed over all scores of the scale, 0 to 2.
        log_score: -ln of the probability of the annotator's score, from 0. Undefined where an
            annotator gave a score that had none: one such grade makes it infinite.
    """

    rps: Estimate
    rps_base_rate: Estimate
    rps_skill: Estimate
    brier: Estimate
    log_score: Estimate


def scores(pairs: Pairs, probabilities: np.ndarray, scale: Sequence[int]) -> Scores:
    """Return the proper scores of a judge's probabilities.

    Args:
        pairs: The judge's answers and annotators' grades; the judge's own scores are not used.
        probabilities: (n, K) of the answer of each pair, as for `reading.normalised`.
        scale: The K scores, rising, two or more.

    Returns:
        No interval below 10 questions; undefined without pairs.
    """
    if not len(pairs.item):
        return Scores(*[undefined(NOTHING)] * 5)
    shares, place = normalised(probabilities), positions(pairs.annotator, scale)
    own, base = ranked_probability_score(shares, place), base_rate_score(pairs, scale)
    alone = distinct(pairs.cluster) == 1
    return Scores(
        mean(pairs, own, ROOT, (0.0, 1.0)),
        undefined(ONE_QUESTION) if alone else mean(pairs, base, ROOT, (0.0, 1.0)),
        undefined(ONE_QUESTION) if alone else _skill(pairs, own, base),
        mean(pairs, brier_score(shares, place), ROOT, (0.0, 2.0)),
        _log_score(pairs, shares, place),
    )


def ranked_probability_score(shares: np.ndarray, place: np.ndarray) -> np.ndarray:
    """(n,) of each pair, from (n, K) shares that sum to 1 and (n,) positions of the grades."""
    steps = shares.shape[1] - 1
    reached = place[:, None] <= np.arange(steps)
    return ((shares.cumsum(axis=1)[:, :-1] - reached) ** 2).sum(axis=1) / steps


def brier_score(shares: np.ndarray, place: np.ndarray) -> np.ndarray:
    """(n,) of each pair, from (n, K) shares that sum to 1 and (n,) positions of the grades."""
    return ((shares - (place[:, None] == np.arange(shares.shape[1]))) ** 2).sum(axis=1)


def base_rate_score(pairs: Pairs, scale: Sequence[int]) -> np.ndarray:
    """(n,) ranked probability score of the annotators' grades of all other questions.

    NaN where there is one question only.
    """
    place = positions(pairs.annotator, scale)
    questions, group = ranked(pairs.cluster)
    counts = np.bincount(group * len(scale) + place, pairs.weight, questions * len(scale))
    counts = counts.reshape(questions, len(scale))
    others = counts.sum(axis=0) - counts
    shares = ratio(others, others.sum(axis=1, keepdims=True))
    return ranked_probability_score(shares[group], place)


def mean(
    pairs: Pairs,
    values: np.ndarray,
    stretch: Stretch = PLAIN,
    bounds: tuple[float, float] = (-np.inf, np.inf),
) -> Estimate:
    """The weighted mean of (n,) a number per pair, with its question jackknife.

    Also that of the mass outside the scale, with bounds of 0 and 1; without an interval where it is
    the same on every question, such as 0.
    """
    if not len(pairs.item):
        return undefined(NOTHING)
    return of_sums(
        pairs, (values,), lambda sums: ratio(sums[..., 1], sums[..., 0]), stretch, bounds
    )


def of_sums(
    pairs: Pairs,
    columns: Sequence[np.ndarray],
    statistic: Statistic,
    stretch: Stretch = PLAIN,
    bounds: tuple[float, float] = (-np.inf, np.inf),
) -> Estimate:
    """A figure with its question jackknife, made of weighted sums of 1 and of (n,) columns."""
    questions, group = ranked(pairs.cluster)
    terms = (pairs.weight, *(pairs.weight * column for column in columns))
    rows = np.stack([np.bincount(group, term, questions) for term in terms], axis=-1)
    return jackknife(leave_out(rows, 0), statistic, stretch, bounds)


def _skill(pairs: Pairs, own: np.ndarray, base: np.ndarray) -> Estimate:
    # The base rate is not fitted again without each question: as it is the best constant, a small
    # change of it changes its score by next to nothing.
    if np.average(base, weights=pairs.weight) < NEGLIGIBLE:
        return undefined(NO_SPREAD)

    def statistic(sums: np.ndarray) -> np.ndarray:
        return 1 - ratio(sums[..., 1], sums[..., 2])

    return of_sums(pairs, (own, base), statistic, bounds=(-np.inf, 1.0))


def _log_score(pairs: Pairs, shares: np.ndarray, place: np.ndarray) -> Estimate:
    given = shares[np.arange(len(place)), place]
    impossible = distinct(pairs.item[given == 0]) if (given == 0).any() else 0
    if impossible:
        return undefined(reason("probability_zero", n=impossible))
    return mean(pairs, -np.log(given), ROOT)


class RiskCoverage(NamedTuple):
    """Risk and coverage at each threshold, and the area under the curve.

    Attributes:
        threshold: (D,) the distinct confidences, falling: answers at or above one are accepted.
        coverage: (D,) share of the weight that is accepted, rising to 1.
        risk: (D,) share of errors among what is accepted; the last is that of accepting all.
        area: AURC, 0 to 1: the mean over answers of the risk at the answer's own confidence. A
            confidence that knows nothing has the risk of accepting all; smaller is better.
    """

    threshold: np.ndarray
    coverage: np.ndarray
    risk: np.ndarray
    area: Estimate


def risk_coverage(
    confidence: np.ndarray, wrong: np.ndarray, weight: np.ndarray, cluster: np.ndarray
) -> RiskCoverage:
    """Return the curve; answers with equal confidence are accepted together.

    Args:
        confidence: (n,) finite, on any scale.
        wrong: (n,) 0 to 1: how far the score disagrees with annotators, such as 1 for an error.
        weight: (n,) positive.
        cluster: (n,) index of the cluster of each.

    Returns:
        An undefined area without rows; no interval below 10 questions, nor for an area of 0 or 1.
    """
    if not len(confidence):
        return RiskCoverage(*[np.zeros(0)] * 3, undefined(NOTHING))
    levels, code = np.unique(-np.round(confidence, _DECIMALS), return_inverse=True)
    base, errors = np.bincount(code, weight), np.bincount(code, weight * wrong)
    accepted, total = base.cumsum(), weight.sum()
    risk = errors.cumsum() / accepted
    area = _area(base, risk, accepted, code, wrong, weight, cluster)
    return RiskCoverage(-levels, accepted / total, risk, area)


def _area(
    base: np.ndarray,
    risk: np.ndarray,
    accepted: np.ndarray,
    code: np.ndarray,
    wrong: np.ndarray,
    weight: np.ndarray,
    cluster: np.ndarray,
) -> Estimate:
    """AURC with the jackknife of its influence function: what one more of each row would do to it.

    More of a row adds its own threshold to the mean, and its error to the risk at every threshold
    that accepts it.
    """
    total = weight.sum()
    value = float((base * risk).sum() / total)
    onwards = np.cumsum((base / accepted)[::-1])[::-1]
    risks_onwards = np.cumsum((base * risk / accepted)[::-1])[::-1]
    influence = risk[code] - value + wrong * onwards[code] - risks_onwards[code]
    questions, group = ranked(np.asarray(cluster))
    terms = (weight * influence / total, weight)
    rows = np.stack([np.bincount(group, term, questions) for term in terms], axis=-1)
    # The sum without a question is minus its own influence, to first order.
    scale = questions / max(1, questions - 1)
    return jackknife(
        leave_out(rows, 1), lambda sums: value + scale * sums[..., 0], LOGIT, (0.0, 1.0)
    )
