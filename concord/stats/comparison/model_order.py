"""Order of answering models: means, uncertainty of the ranks, and agreement of two graders.

A model with fewer than 20 effective questions (`can_be_ordered`) takes part in no order.
"""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from scipy import special

from concord.stats.core.estimate import (
    CONFIDENCE,
    Estimate,
    reason,
    undefined,
    under,
    with_interval,
)
from concord.stats.core.minimums import APPROXIMATE_BELOW, ORDER_FLOOR
from concord.stats.core.tables import NEGLIGIBLE, effective_number, ratio, row_keys
from concord.stats.intervals.resampling import UNDEFINED_AT_MOST, Draws, jackknife, leave_out

TOO_FEW_DRAWN = under(APPROXIMATE_BELOW, reason("no_resamples"))
TOO_FEW_MODELS = reason("too_few_answering_models_for_tau", n=ORDER_FLOOR)
_EQUAL = 1e-9
_CELLS_AT_ONCE = 1_000_000  # resamples times pairs of models


def model_sums(
    value: np.ndarray, weight: np.ndarray, model: np.ndarray, cluster: np.ndarray, models: int
) -> np.ndarray:
    """(G, M, 2) summed weighted values and weights, per question and answering model.

    All are (n,): composite (or score), positive weight, index of the answering model from 0, and
    cluster.
    """
    clusters, group = np.unique(cluster, return_inverse=True)
    cell, size = group * models + model, len(clusters) * models
    columns = [np.bincount(cell, weights=weight * term, minlength=size) for term in (value, 1.0)]
    return np.stack(columns, axis=-1).reshape(len(clusters), models, 2)


def model_rows(
    value: np.ndarray, weight: np.ndarray, model: np.ndarray, cluster: np.ndarray, models: int
) -> list[np.ndarray]:
    """Return for each model its own rows of `model_sums`, (its questions, 2)."""
    width = int(cluster.max(initial=0)) + 1
    cells, place = np.unique(model * width + cluster, return_inverse=True)
    columns = [np.bincount(place, weight * term, len(cells)) for term in (value, 1.0)]
    rows = np.stack(columns, axis=-1)
    ends = np.searchsorted(cells // width, np.arange(models + 1))
    return [rows[start:end] for start, end in pairwise(ends)]


def model_mean(rows: np.ndarray, bounds: tuple[float, float]) -> Estimate:
    """Weighted mean of a model, with its question jackknife interval.

    `rows` (G, 2) are from `model_rows`; limits do not go beyond `bounds`.
    """
    why, rows = reason("no_scored_answer"), rows[rows[:, 1] > 0]
    return jackknife(leave_out(rows, 1), _mean, bounds=bounds, why_none=why)


def can_be_ordered(rows: np.ndarray) -> bool:
    """Return whether a model's `rows` hold 20 effective questions."""
    weights = rows[:, 1]
    return bool(effective_number(weights) >= APPROXIMATE_BELOW - NEGLIGIBLE)


def above_shares(sums: np.ndarray, pairs: np.ndarray, draws: Draws) -> np.ndarray:
    """(P,) share of question resamples in which the first of two models is above the second.

    Ties count half; NaN for models that never meet. `sums` is (G, M, 2), from `model_sums`;
    `pairs` (2, P).
    """
    above, met = np.zeros(pairs.shape[1]), np.zeros(pairs.shape[1])
    for apart in _differences(_drawn_means(sums, draws), pairs):
        above += (np.nan_to_num(_sign(apart)) / 2).sum(axis=0)
        met += (~np.isnan(apart)).sum(axis=0)
    return ratio(above + met / 2, met)


def rank_sets(sums: np.ndarray, draws: Draws) -> list[tuple[int, int]]:
    """Return the best and worst rank of each model, from simultaneous CIs of all differences.

    The best is 1 plus the number of models significantly above (max-t, 95%), the worst the number
    of models minus those significantly below. Source: Mogstad, Romano, Shaikh and Wilhelm (2024),
    Inference for ranks. `sums` is (G, M, 2), from `model_sums`, of models that can be ordered.
    """
    sums = sums[np.argsort(row_keys(sums))]
    pairs = np.stack(np.triu_indices(sums.shape[1], 1))
    means = _mean(sums.sum(axis=0))
    part = (sums[..., 0] - means * sums[..., 1]) / sums[..., 1].sum(axis=0)
    apart = means[pairs[0]] - means[pairs[1]]
    covariance = part.T @ part  # (G, P) differences of many models take too much memory
    both = np.diag(covariance)[pairs].sum(axis=0)
    square = both - 2 * covariance[*pairs]
    square[square < NEGLIGIBLE * both] = 0  # the error of the subtraction
    spread = np.sqrt(square * len(sums) / (len(sums) - 1))
    largest = []
    for drawn in _differences(_mean(draws.totals(sums)), pairs):
        moved = np.abs(drawn - apart)
        moved = np.where(spread > _EQUAL, moved / np.maximum(spread, _EQUAL), 0)
        largest.append(np.nanmax(moved, axis=1, initial=0))
    tail = special.ndtr(-np.quantile(np.concatenate(largest), CONFIDENCE))
    sure = np.abs(apart) > -special.stdtrit(len(sums) - 1, tail) * spread + _EQUAL
    upper, lower = np.where(apart > 0, pairs, pairs[::-1])[:, sure]
    best = 1 + np.bincount(lower, minlength=len(means))
    worst = len(means) - np.bincount(upper, minlength=len(means))
    return list(zip(best.tolist(), worst.tolist(), strict=True))


def order_tau_b(first: np.ndarray, second: np.ndarray, draws: Draws) -> Estimate:
    """Kendall's tau-b of two orders of the same models, its interval from resampled questions.

    The percentile interval joined with the basic one (which mirrors it): orders of resamples are
    noisier than the order itself, so percentiles alone lie too low.

    `first` and `second` are (G, M, 2) from `model_sums`, on the same questions. Undefined below
    five models, and where one grader has them all level.
    """
    both = np.stack([first, second], axis=1)
    if both.shape[2] < ORDER_FLOOR:
        return undefined(TOO_FEW_MODELS)
    pairs = np.stack(np.triu_indices(both.shape[2], 1))
    (value,) = _taus(_mean(both.sum(axis=0))[None], pairs)
    if np.isnan(value):
        return undefined(reason("models_tied"))
    taus = _taus(_drawn_means(both, draws), pairs)
    taus = taus[~np.isnan(taus)]
    if len(taus) < (1 - UNDEFINED_AT_MOST) * draws.resamples:
        return Estimate(float(value), why_none=reason("resampled_ties"))
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(taus, [tail, 1 - tail])
    mirrored = 2 * value - high, 2 * value - low
    method = f"question bootstrap, {draws.resamples} resamples, percentile and basic joined"
    return with_interval(
        float(value),
        float(np.clip(min(low, mirrored[0], value), -1, 1)),
        float(np.clip(max(high, mirrored[1], value), -1, 1)),
        f"{method}, seed {draws.seed}",
    )


def pair_signs(means: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """(P,) which of two models is above by (M,) means: 1 the first, -1 the second, 0 a tie."""
    return _sign(means[pairs[0]] - means[pairs[1]])


def _taus(means: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """(R,) tau-b between the two graders of (R, 2, M) means; NaN where one ties all models."""
    taus = []
    for apart in _differences(means, pairs):
        signs = np.nan_to_num(_sign(apart))
        untied = (signs != 0).sum(axis=-1).prod(axis=-1)
        taus.append(ratio(signs.prod(axis=1).sum(axis=-1), np.sqrt(untied)))
    return np.concatenate(taus)


def _drawn_means(sums: np.ndarray, draws: Draws) -> np.ndarray:
    """(resamples, ..., M) means; the questions are put in an order that their content gives."""
    return _mean(draws.totals(sums[np.argsort(row_keys(sums))]))


def _differences(means: np.ndarray, pairs: np.ndarray) -> Iterator[np.ndarray]:
    """Yield (block, ..., P) the differences of each two models in some resamples of (R, ..., M)."""
    size = max(1, _CELLS_AT_ONCE // max(1, pairs.shape[1]))
    for start in range(0, len(means), size):
        block = means[start : start + size]
        yield block[..., pairs[0]] - block[..., pairs[1]]


def _sign(apart: np.ndarray) -> np.ndarray:
    return np.sign(apart * (np.abs(apart) > _EQUAL))


def _mean(sums: np.ndarray) -> np.ndarray:
    return ratio(sums[..., 0], sums[..., 1])
