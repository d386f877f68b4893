"""Clustered answers: how much less several answers to one question say than independent ones."""

import numpy as np

from concord.stats.core.tables import NEGLIGIBLE

_MISSING = 0.5


def effective_size(
    hits: np.ndarray, base: np.ndarray, answers: float, times: np.ndarray | None = None
) -> float:
    """Return the effective sample size of a share, between the number of questions and `answers`.

    It is `answers` over the design effect: the variance of the share over that of independent
    answers, clipped to [1, answers per question]. Where all or no answers agree the variance cannot
    be estimated, and the size is the number of questions.

    Args:
        hits: (G,) summed weight of the answers that hit, per question.
        base: (G,) summed weight of all answers, above 0.
        answers: Number of equally weighted answers `base` amounts to (`kish`).
        times: (G,) number of questions each row represents; default 1.
    """
    times = np.ones(len(base)) if times is None else times
    questions = times.sum()
    share = (times * hits).sum() / (times * base).sum()
    independent = share * (1 - share) / answers
    if independent < NEGLIGIBLE:
        return float(questions)
    per_question = max(1.0, answers / questions)
    # Not below 1: questions that happen to differ less than chance are no reason for a shorter
    # interval.
    effect = clustered_variance(hits, base, times) / independent
    return answers / float(np.clip(effect, 1, per_question))


def weighted_size(
    hits: np.ndarray,
    base: np.ndarray,
    answers: float,
    heaviest: float,
    times: np.ndarray | None = None,
) -> float:
    """Return the effective sample size of a share of unequally weighted answers.

    A draw that favours suspected failures holds few of the answers that weigh most, and the next
    one of these could move the share by more than those that were drawn show. So half the squared
    effect of one such answer, on the rarer side, is added to the variance over questions. Where all
    agree, it is the number of the heaviest answers that weigh as much, at most that of questions.

    As for `effective_size`; `heaviest` is the largest weight of an answer in the whole sample.
    """
    times = np.ones(len(base)) if times is None else times
    total = (times * base).sum()
    share = (times * hits).sum() / total
    independent = share * (1 - share) / answers
    if independent < NEGLIGIBLE:
        return float(min(times.sum(), total / heaviest))
    missing = _MISSING * (heaviest * max(share, 1 - share) / total) ** 2
    return answers / max(1.0, (clustered_variance(hits, base, times) + missing) / independent)


def clustered_variance(
    hits: np.ndarray, base: np.ndarray, times: np.ndarray | None = None
) -> float:
    """Return the CR1 variance of sum(hits) / sum(base) over questions.

    Squared residual sums per question (Liang and Zeger 1986), times G / (G - 1). `times` (G,) is
    the number of questions each row represents; default 1.
    """
    times = np.ones(len(base)) if times is None else times
    questions, total = times.sum(), (times * base).sum()
    residuals = hits - base * ((times * hits).sum() / total)
    squares = (times * residuals**2).sum()
    return float(squares / total**2 * questions / (questions - 1))


def kish(weights: np.ndarray) -> float:
    """Return Kish's effective sample size of these weights; 0 for none."""
    return float(weights.sum() ** 2 / (weights**2).sum()) if len(weights) else 0.0
