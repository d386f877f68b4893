"""Clustered answers: how much less several answers to one question say than independent ones."""

import numpy as np

from concord.stats.core.minimums import DESIGN_EFFECT_FLOOR
from concord.stats.core.tables import NEGLIGIBLE

_MISSING = 0.5


def effective_size(
    hits: np.ndarray,
    base: np.ndarray,
    answers: float | np.ndarray,
    times: np.ndarray | None = None,
    heaviest: float | None = None,
    annotators: float = 1.0,
) -> np.ndarray:
    """Return the effective sample size of a share.

    It is `answers` over the design effect: the variance of the share over that of independent
    answers, at most the answers per question. It is at least 1, and from 20 questions on, where
    several annotators graded each answer, at least one over their number: an answer on which they
    differ varies less than one that is simply right or wrong. Where all or no answers agree the
    variance cannot be estimated, and the size is the number of questions.

    Where answers weigh differently, a draw that favours suspected failures holds few of the answers
    that weigh most, and the next one of these could move the share by more than those that were
    drawn show. So half the squared effect of one such answer, on the rarer side, is added to the
    variance over questions. Where all agree, it is the number of the heaviest answers that weigh as
    much, at most that of questions.

    Args:
        hits: (..., G) summed weight of the answers that hit, per question.
        base: (..., G) summed weight of all answers.
        answers: (...) number of equally weighted answers `base` amounts to (`kish`).
        times: (..., G) number of questions each row represents, 0 where it is absent; default 1.
        heaviest: The largest weight of an answer in the whole sample, where weights differ.
        annotators: Mean number per answer.

    Returns:
        (...) sizes, above 0.
    """
    times = np.ones(base.shape[-1]) if times is None else times
    questions, total = times.sum(axis=-1), (times * base).sum(axis=-1)
    share = _over((times * hits).sum(axis=-1), total)
    independent = _over(share * (1 - share), answers)
    same = independent < NEGLIGIBLE
    effect = clustered_variance(hits, base, times)
    if heaviest is not None:
        alone = np.minimum(questions, total / heaviest)
        effect = effect + _MISSING * (heaviest * np.maximum(share, 1 - share) / total) ** 2
    else:
        alone = questions
    effect = _over(effect, np.where(same, 1.0, independent))
    floor = np.where(questions >= DESIGN_EFFECT_FLOOR, 1 / annotators, 1.0)
    # With unequal weights one question may outweigh all others, so no cap is valid.
    most = np.inf if heaviest is not None else np.maximum(1.0, _over(answers, questions))
    return np.where(same, alone, answers / np.clip(effect, floor, most))[()]


def clustered_variance(
    hits: np.ndarray, base: np.ndarray, times: np.ndarray | None = None
) -> np.ndarray:
    """Return the CR1 variance of sum(hits) / sum(base) over questions.

    Squared residual sums per question (Liang and Zeger 1986), times G / (G - 1). `hits` and `base`
    are (..., G), and `times` is the number of questions each row represents; default 1.
    """
    times = np.ones(base.shape[-1]) if times is None else times
    questions, total = times.sum(axis=-1), (times * base).sum(axis=-1)
    share = _over((times * hits).sum(axis=-1), total)
    residuals = hits - base * share[..., None]
    squares = (times * residuals**2).sum(axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(squares / total**2 * questions / (questions - 1))[()]


def kish(weights: np.ndarray) -> float:
    """Return Kish's effective sample size of these weights; 0 for none."""
    return float(weights.sum() ** 2 / (weights**2).sum()) if len(weights) else 0.0


def _over(above: np.ndarray | float, below: np.ndarray | float) -> np.ndarray:
    """Divide; what has nothing to divide by is not a number, in silence."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.divide(above, below))
