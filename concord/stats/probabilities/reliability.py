"""Reliability: does a judge's confidence say how often annotators agree with its score?

The confidence of a score is its probability, or any other number from 0 to 1, such as a stated one;
the event is that an annotator gave the same score. Answers are put into bins of equal numbers by
their confidence, and answers with the same confidence into the same bin; a bin with less than half
as many as the others should have joins its neighbour.

The expected calibration error is the root of the mean squared gap between confidence and agreement
over the bins. A gap is never 0 in a sample, however well calibrated the judge, so each bin's
sampling variance is taken off its squared gap first (Kumar, Liang and Ma 2019; Bröcker 2012); here
it is the variance over questions. The mean absolute gap, the older form, has no unbiased estimate.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from concord.stats.core.estimate import Estimate, reason, undefined, with_interval, without_interval
from concord.stats.core.minimums import BIN_FLOOR, SURE_FLOOR
from concord.stats.core.pairs import Pairs
from concord.stats.core.tables import distinct, effective_number, positions, ranked, ratio
from concord.stats.intervals.resampling import jackknife, leave_out
from concord.stats.intervals.wilson import proportion
from concord.stats.probabilities.reading import normalised
from concord.stats.probabilities.scoring import NOTHING, mean

BINS = 10
SAID = (0.9, 0.8, 0.7, 0.6, 0.5)
_DECIMALS = 9


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
