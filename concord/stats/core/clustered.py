"""Clustered answers: how much whole questions, some with many answers and some with few, say."""

import numpy as np

from concord.stats.core.tables import NEGLIGIBLE


@np.errstate(invalid="ignore", divide="ignore")
def effective_number(weights: np.ndarray, times: np.ndarray | float = 1.0) -> np.ndarray:
    """Return how many equal weights say as much as these (..., G): (sum w)^2 / sum w^2 (Kish).

    Of the weights of questions it is the effective number of questions; 0 for no weight. Each is
    there `times` times.
    """
    squares = (times * weights**2).sum(axis=-1)
    return _over((times * weights).sum(axis=-1) ** 2, squares, 0.0)


@np.errstate(invalid="ignore", divide="ignore")
def clustered_variance(
    residuals: np.ndarray,
    base: np.ndarray,
    squares: np.ndarray | None = None,
    units: np.ndarray | float | None = None,
    times: np.ndarray | float = 1.0,
) -> np.ndarray:
    """Return the variance of sum(residuals) / sum(base), a weighted mean less its value.

    The larger of two. CR1 takes the squared residual sums of the questions, times G / (G - 1)
    (Liang and Zeger 1986). Where a few questions have most of the answers and none of these happens
    to show an error, it is far too small. The other one takes large questions to be like small
    ones: v / n (1 + icc (M - 1)), with the variance v of n answers, their intraclass correlation by
    ANOVA, from 0 to 1, and the mean size M of an answer's question. Without `squares` all answers
    of a question count as alike. Where questions weigh the same, the two hardly differ.

    Args:
        residuals: (..., G) summed weighted residuals of the answers, which add up to 0.
        base: (..., G) summed weights; a question without any is not counted.
        squares: (..., G) summed weighted squares of the answers' residuals.
        units: (...) how many equally weighted observations `base` amounts to; default as many as
            its sum.
        times: (..., G) number of questions each column represents.
    """
    number = (times * (base > NEGLIGIBLE)).sum(axis=-1)
    total = (times * base).sum(axis=-1)
    observed = _over((times * residuals**2).sum(axis=-1), total**2) * _over(number, number - 1)
    between = (times * _over(residuals**2, base, 0.0)).sum(axis=-1)
    share = _over((times * base**2).sum(axis=-1), total**2)
    if squares is None:
        return np.fmax(observed, _over(between, total) * share)
    units = total if units is None else units
    every = (times * squares).sum(axis=-1)
    size = np.maximum(1.0, share * units)
    among = _over(between, number - 1)
    within = np.where(units > number, _over(np.maximum(every - between, 0), units - number), 0.0)
    usual = _over(units - size, number - 1)
    alike = np.clip(_over(among - within, among + (usual - 1) * within, 1.0), 0, 1)
    return np.fmax(observed, _over(every, total * units) * (1 + alike * (size - 1)))


@np.errstate(invalid="ignore", divide="ignore")
def share_of(
    hits: np.ndarray,
    base: np.ndarray,
    units: np.ndarray | float | None = None,
    times: np.ndarray | float = 1.0,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return a share, its effective sample size, and the effective number of its questions.

    The size is that of independent answers with the same variance. Where all or no answers hit the
    variance cannot be estimated, and it is the number of questions.

    Args:
        hits: (..., G) summed weight of the answers that hit.
        base: (..., G) summed weight of all.
        units: As of `clustered_variance`.
        times: As of `clustered_variance`.
    """
    total = (times * base).sum(axis=-1)
    # Sums of weights may exceed the base by a rounding error.
    share = np.clip(_over((times * hits).sum(axis=-1), total), 0, 1)
    one = np.asarray(share)[..., None]
    residuals, squares = hits - base * one, hits * (1 - 2 * one) + base * one**2
    variance = clustered_variance(residuals, base, squares, units, times)
    questions, spread = effective_number(base, times), share * (1 - share)
    return share, np.where(spread < NEGLIGIBLE, questions, _over(spread, variance)), questions


def _over(
    above: np.ndarray | float, below: np.ndarray | float, otherwise: float = np.nan
) -> np.ndarray:
    """Divide; `otherwise` where there is nothing to divide by."""
    return np.where(np.abs(below) > NEGLIGIBLE**2, np.divide(above, below), otherwise)
