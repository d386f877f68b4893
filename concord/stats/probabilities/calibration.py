"""Calibration: does a judge's confidence say how often annotators agree with its score?

The confidence of a score is its probability, or any other number from 0 to 1, such as a stated one;
the event is that an annotator gave the same score. Answers are put into bins of equal numbers by
their confidence, and answers with the same confidence into the same bin; a bin with less than half
as many as the others should have joins its neighbour.

The expected calibration error is the root of the mean squared gap between confidence and agreement
over the bins. A gap is never 0 in a sample, however well calibrated the judge, so each bin's
sampling variance is taken off its squared gap first (Kumar, Liang and Ma 2019; Bröcker 2012); here
it is the variance over questions. The mean absolute gap, the older form, has no unbiased estimate.

Proper scores: how good the probabilities are that a judge gives to the scores of a scale.

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

from concord.stats.core.estimate import Estimate, reason, undefined, with_interval, without_interval
from concord.stats.core.minimums import BIN_FLOOR, SURE_FLOOR
from concord.stats.core.pairs import Pairs
from concord.stats.core.tables import (
    NEGLIGIBLE,
    distinct,
    effective_number,
    positions,
    ranked,
    ratio,
)
from concord.stats.intervals.resampling import (
    LOGIT,
    PLAIN,
    ROOT,
    Statistic,
    Stretch,
    jackknife,
    leave_out,
)
from concord.stats.intervals.wilson import proportion
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


BINS = 10
SAID = (0.9, 0.8, 0.7, 0.6, 0.5)


class Bin(NamedTuple):
    """Answers with similar confidence.

    Attributes:
        confidence: Mean, 0 to 1, weighted as the agreement.
        lowest: The least confidence in the bin.
        highest: The greatest.
        agreed: Share of pairs in which the annotator gave the judge's score, with Wilson's interval
            at the effective sample size; no interval below 10 clusters.
        answers: How many.
        clusters: Of how many clusters (questions where no clusters are known).
    """

    confidence: float
    lowest: float
    highest: float
    agreed: Estimate
    answers: int
    clusters: int


class Said(NamedTuple):
    """What becomes of the scores of which a judge is sure: "when it says 90%, ...".

    Attributes:
        level: Scores with at least this confidence, 0 to 1.
        within: Their mean confidence and agreement; None where there are too few.
        agreed: Their agreement, undefined with its reason where there are too few.
        answers: How many there are.
        clusters: Of how many clusters (questions where no clusters are known).
    """

    level: float
    within: Bin | None
    agreed: Estimate
    answers: int
    clusters: int


def confidence(probabilities: np.ndarray, scores: np.ndarray, scale: Sequence[int]) -> np.ndarray:
    """Return (n,) the probability of the score that was read, 0 to 1.

    `probabilities` is (n, K) as for `reading.normalised`, and `scores` are (n,) of the scale. The
    rounded mean may read a score of which the judge thinks little.
    """
    return normalised(probabilities)[np.arange(len(scores)), positions(scores, scale)]


def sharpness(pairs: Pairs, probabilities: np.ndarray) -> Estimate:
    """Mean probability of the most probable score, from 1 / K (knows nothing) to 1 (always sure).

    It does not say whether the judge is right. `probabilities` are (n, K), of each pair's answer.
    """
    return mean(pairs, normalised(probabilities).max(axis=1), bounds=(0.0, 1.0))


def diagram(pairs: Pairs, confidence: np.ndarray, bins: int | None = None) -> list[Bin]:
    """Return the bins of the reliability diagram, by rising confidence.

    Args:
        pairs: The judge's scores and annotators' grades.
        confidence: (n,) of the judge in the answer of each pair, 0 to 1.
        bins: How many at most; by default 10, and at least 10 questions for each.
    """
    code = binned(pairs, confidence, bins)
    return [_bin(pairs.where(code == one), confidence[code == one]) for one in np.unique(code)]


def calibration_error(pairs: Pairs, confidence: np.ndarray, bins: int | None = None) -> Estimate:
    """Return the debiased expected calibration error, 0 to 1.

    0 where the gaps are no larger than sampling makes them, and so is the lower limit, which is
    that of the debiased square by the question jackknife. The upper limit is that of the plain root
    with the same bias taken off its square: that of the debiased square fell short where few
    questions gave an error near 0. The bins are those of `diagram`, and so are the arguments.
    """
    if not len(pairs.item):
        return undefined(NOTHING)
    code = binned(pairs, confidence, bins)
    questions, group = ranked(pairs.cluster)
    size, cell = code.max() + 1, group * (code.max() + 1) + code
    gap = pairs.weight * ((pairs.judge == pairs.annotator) - confidence)
    weight, gap = (
        np.bincount(cell, term, questions * size).reshape(questions, size)
        for term in (pairs.weight, gap)
    )
    # All that the gap of a bin and its variance over questions are made of adds up over questions.
    rows = np.stack([weight, gap, weight**2, weight * gap, gap**2, weight > 0], axis=-1)
    kept, why = leave_out(rows, (slice(None), 0)), reason("bin_of_one_question")
    square = jackknife(kept, _debiased, why_none=why)
    root = jackknife(kept, _plain, bounds=(0.0, 1.0), why_none=why)
    if square.value is None:
        return square
    value = float(np.sqrt(max(0.0, square.value)))
    if square.low is None or root.high is None:
        return without_interval(value, square.why_none or root.why_none, square.method)
    low, high = square.low, root.high**2 - (root.value**2 - square.value)
    low, high = (float(np.sqrt(max(0.0, one))) for one in (low, high))
    method = f"{square.method} on the square and the root, {size} bins"
    return with_interval(value, low, max(value, high), method)


def said(pairs: Pairs, confidence: np.ndarray, levels: Sequence[float] = SAID) -> Said:
    """Return how often annotators agree with the scores of which the judge is at least so sure.

    The first of the falling `levels` with 30 answers to 10 questions is taken, which does not
    depend on agreement; where none has as many, the first level, with the reason.
    """
    for level in levels:
        found = _said(pairs, confidence, level)
        if found.within:
            return found
    return _said(pairs, confidence, levels[0])


def binned(pairs: Pairs, confidence: np.ndarray, bins: int | None = None) -> np.ndarray:
    """Return (n,) the bin of each pair, from 0, without empty ones; arguments as for `diagram`."""
    if not len(pairs.item):
        return np.zeros(0, int)
    bins = bins or max(1, min(BINS, distinct(pairs.cluster) // BIN_FLOOR))
    _, first, answer = np.unique(pairs.item, return_index=True, return_inverse=True)
    _, code, times = np.unique(
        np.round(confidence[first], _DECIMALS), return_inverse=True, return_counts=True
    )
    # By the middle of the answers that share a confidence, so that they are not torn apart.
    middle = times.cumsum() - times / 2
    place = np.minimum(bins * middle / len(first), bins - 1).astype(int)
    held = np.bincount(place, times, bins)
    return _merged(held, len(first) / bins / 2)[place][code][answer]


def _merged(held: np.ndarray, least: float) -> np.ndarray:
    """(bins,) the new number of each bin: those of fewer answers join the next, the last ones back.

    Where many answers share a confidence, the other bins may have few.
    """
    number, own, new = np.zeros(len(held), int), 0.0, 0
    for one in range(len(held)):
        number[one] = new
        own += held[one]
        if own >= least and held[one + 1 :].sum() >= least:
            own, new = 0.0, new + 1
    return number


def _bin(pairs: Pairs, confidence: np.ndarray) -> Bin:
    questions, group = ranked(pairs.cluster)
    hits = np.bincount(group, pairs.weight * (pairs.judge == pairs.annotator), questions)
    base = np.bincount(group, pairs.weight, questions)
    agreed = proportion(hits, base, float(effective_number(pairs.weight)))
    mean_confidence = float(np.average(confidence, weights=pairs.weight))
    ends = float(confidence.min()), float(confidence.max())
    return Bin(mean_confidence, *ends, agreed, distinct(pairs.item), questions)


def _said(pairs: Pairs, confidence: np.ndarray, level: float) -> Said:
    sure = np.round(confidence, _DECIMALS) >= level
    own = pairs.where(sure)
    answers, questions = len(own.item_weights()), distinct(own.cluster)
    if answers < SURE_FLOOR or questions < BIN_FLOOR:
        why = reason(
            "too_few_confident",
            n=answers,
            questions=questions,
            least=SURE_FLOOR,
            least_questions=BIN_FLOOR,
        )
        return Said(level, None, undefined(why), answers, questions)
    within = _bin(own, confidence[sure])
    return Said(level, within, within.agreed, answers, questions)


def _debiased(sums: np.ndarray) -> np.ndarray:
    """The mean squared gap less its sampling variance, from sums (..., bins, 6) over questions."""
    weight, gap, squares, product, gaps, questions = np.moveaxis(sums, -1, 0)
    mean_gap = ratio(gap, weight)
    residuals = gaps - 2 * mean_gap * product + mean_gap**2 * squares
    variance = ratio(residuals, weight**2) * ratio(questions, questions - 1)
    return _plain(sums) ** 2 - ratio((weight * variance).sum(axis=-1), weight.sum(axis=-1))


def _plain(sums: np.ndarray) -> np.ndarray:
    """The root of the mean squared gap, from the same sums."""
    weight, gap = sums[..., 0], sums[..., 1]
    return np.sqrt(ratio((weight * ratio(gap, weight) ** 2).sum(axis=-1), weight.sum(axis=-1)))
