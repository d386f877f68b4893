"""Order of answering models: means, uncertainty of the ranks, and agreement of two graders."""

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from scipy import stats

from concord.stats.core.estimate import (
    CONFIDENCE,
    Estimate,
    Why,
    reason,
    undefined,
    under,
    with_interval,
    without_interval,
)
from concord.stats.core.minimums import APPROXIMATE_BELOW, ORDER_FLOOR
from concord.stats.core.tables import ratio, row_keys
from concord.stats.intervals.resampling import UNDEFINED_AT_MOST, Draws, jackknife, leave_out

TOO_FEW_DRAWN = under(APPROXIMATE_BELOW, reason("no_resamples"))
_EQUAL = 1e-9


class Above(NamedTuple):
    """Share of question resamples in which one model's mean is above another's.

    Attributes:
        share: (M, M), row above column, 0 to 1, ties counting half; NaN on the diagonal and for
            models that never meet. None where withheld.
        method: How it was computed.
        why_none: Why `share` is None.
    """

    share: np.ndarray | None
    method: str = ""
    why_none: Why | None = None


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


def model_means(sums: np.ndarray, bounds: tuple[float, float]) -> list[Estimate]:
    """Weighted mean of each model, with its question jackknife interval.

    `sums` is (G, M, 2), from `model_sums`; limits do not go beyond `bounds`.
    """
    found = []
    for column in range(sums.shape[1]):
        rows = sums[sums[:, column, 1] > 0, column]
        left_out = leave_out(rows, 1)
        found.append(jackknife(left_out, _mean, bounds=bounds, why_none=reason("no_scored_answer")))
    return found


def mean_difference(sums: np.ndarray, one: int, other: int) -> Estimate:
    """One model's mean minus another's with its question jackknife interval, questions paired.

    `sums` is (G, M, 2), from `model_sums`.
    """
    rows = sums[:, [one, other]]
    rows = rows[rows[..., 1].sum(axis=1) > 0]
    apart = lambda both: _mean(both[..., 0, :]) - _mean(both[..., 1, :])  # noqa: E731
    return jackknife(leave_out(rows, (0, 1), (1, 1)), apart, why_none=reason("one_side_unscored"))


def above_each(graders: Sequence[np.ndarray], draws: Draws) -> list[Above]:
    """Return the share of resamples in which one model is above another, for each grader's sums.

    Sums are (G, M, 2), from `model_sums`; those of several graders are resampled side by side in
    one product. None with the reason under 20 questions.
    """
    found = [Above(None, why_none=TOO_FEW_DRAWN)] * len(graders)
    for questions in {len(sums) for sums in graders}:
        if questions < APPROXIMATE_BELOW:
            continue
        places = [place for place, sums in enumerate(graders) if len(sums) == questions]
        ordered = [graders[place][np.argsort(row_keys(graders[place]))] for place in places]
        means = _mean(draws.totals(np.stack(ordered, axis=1)))
        for column, place in enumerate(places):
            found[place] = _above(means[:, column], draws)
    return found


class Ranks(NamedTuple):
    """Simultaneous 95 % confidence sets of the models' ranks.

    Attributes:
        best: (M,) 1 plus the number of models significantly above; None for a model without a mean.
        worst: (M,) the number of models minus those significantly below.
        method: How they were computed.
        why_none: Why they are undefined.
    """

    best: list[int | None]
    worst: list[int | None]
    method: str = ""
    why_none: Why | None = None


def rank_sets(sums: np.ndarray, draws: Draws) -> Ranks:
    """Return the rank set of each model, from simultaneous CIs of all differences (max-t).

    A model scored on under 20 questions is significantly above or below none: its standard error is
    too uncertain. Source: Mogstad, Romano, Shaikh and Wilhelm (2024), Inference for ranks.

    `sums` is (G, M, 2), from `model_sums`.

    Returns:
        None for every model, with the reason, under 20 questions.
    """
    models = sums.shape[1]
    known = np.flatnonzero(sums[..., 1].sum(axis=0) > 0)
    if len(sums) < APPROXIMATE_BELOW or len(known) < 2:
        why = TOO_FEW_DRAWN if len(known) > 1 else reason("too_few_answering_models")
        return Ranks([None] * models, [None] * models, why_none=why)
    sums = sums[np.argsort(row_keys(sums))][:, known]
    enough = (sums[..., 1] > 0).sum(axis=0) >= APPROXIMATE_BELOW
    pairs = np.stack(np.triu_indices(len(known), 1))
    one, other = pairs[:, enough[pairs].all(axis=0)]
    means = _mean(sums.sum(axis=0))
    part = (sums[..., 0] - means * sums[..., 1]) / sums[..., 1].sum(axis=0)
    apart = means[one] - means[other]
    spread = np.sqrt(((part[:, one] - part[:, other]) ** 2).sum(axis=0))
    spread *= np.sqrt(len(sums) / (len(sums) - 1))
    drawn = _mean(draws.totals(sums))
    moved = np.abs(drawn[:, one] - drawn[:, other] - apart)
    largest = np.where(spread > _EQUAL, moved / np.maximum(spread, _EQUAL), 0)
    largest = np.nanmax(largest, axis=1, initial=0)
    tail = stats.norm.sf(np.quantile(largest, CONFIDENCE))
    sure = np.abs(apart) > stats.t.isf(tail, len(sums) - 1) * spread + _EQUAL
    best, worst = np.ones(len(known), int), np.full(len(known), len(known))
    for above_, below, ahead in zip(one[sure], other[sure], apart[sure] > 0, strict=True):
        upper, lower = (above_, below) if ahead else (below, above_)
        best[lower] += 1
        worst[upper] -= 1
    method = f"simultaneous at 95%, max-t over {draws.resamples} resamples, seed {draws.seed}"
    places = {int(model): place for place, model in enumerate(known)}
    sides = (
        [int(ends[places[m]]) if m in places else None for m in range(models)]
        for ends in (best, worst)
    )
    return Ranks(*sides, method)


def tau_b_interval(
    found: Estimate, first: np.ndarray, second: np.ndarray, draws: Draws
) -> Estimate:
    """The tau-b of two orders with its interval from resampled questions, the same for both.

    The percentile interval joined with the basic one (which mirrors it): orders of resamples are
    noisier than the order itself, so percentiles alone lie too low.

    `found` is from `order_tau_b`; `first` and `second` are (G, M, 2) from `model_sums`, on the same
    questions.
    """
    if found.value is None or len(first) < APPROXIMATE_BELOW:
        return found if found.value is None else found._replace(why_none=TOO_FEW_DRAWN)
    both = np.stack([first, second], axis=1)
    means = _mean(draws.totals(both[np.argsort(row_keys(both))]))
    pairs = np.triu_indices(first.shape[1], 1)
    apart = means[..., pairs[0]] - means[..., pairs[1]]
    signs = np.sign(np.nan_to_num(apart) * (np.abs(apart) > _EQUAL))
    untied = (signs != 0).sum(axis=-1).prod(axis=-1)
    taus = ratio(signs.prod(axis=1).sum(axis=-1), np.sqrt(untied))
    taus = taus[~np.isnan(taus)]
    if len(taus) < (1 - UNDEFINED_AT_MOST) * draws.resamples:
        return found._replace(why_none=reason("resampled_ties"))
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(taus, [tail, 1 - tail])
    mirrored = 2 * found.value - high, 2 * found.value - low
    method = f"question bootstrap, {draws.resamples} resamples, percentile and basic joined"
    return with_interval(
        found.value,
        float(np.clip(min(low, mirrored[0], found.value), -1, 1)),
        float(np.clip(max(high, mirrored[1], found.value), -1, 1)),
        f"{method}, seed {draws.seed}",
    )


def order_tau_b(first: Sequence[float | None], second: Sequence[float | None]) -> Estimate:
    """Kendall's tau-b between two orders of the same models.

    Undefined below five models that both graders have, and where one grader has them all level.
    `tau_b_interval` gives it an interval.
    """
    one, other = _signs(first, second)
    models = sum(a is not None and b is not None for a, b in zip(first, second, strict=True))
    if models < ORDER_FLOOR:
        return undefined(reason("too_few_answering_models_for_tau", n=ORDER_FLOOR))
    untied = np.sqrt(float((one != 0).sum()) * float((other != 0).sum()))
    if untied == 0:
        return undefined(reason("models_tied"))
    why = reason("means_only")
    return without_interval(float((one * other).sum()) / untied, why)


def swaps(first: Sequence[float | None], second: Sequence[float | None]) -> list[tuple[int, int]]:
    """Pairs of models (by index) that the two graders put in opposite orders; ties are no swap."""
    shared = _shared(first, second)
    one, other = _signs(first, second)
    pairs = combinations(shared, 2)
    return [pair for pair, a, b in zip(pairs, one, other, strict=True) if a * b < 0]


def _above(means: np.ndarray, draws: Draws) -> Above:
    """Compute `Above` from the (resamples, M) means of the models."""
    models = means.shape[1]
    share = np.full((models, models), np.nan)
    for one, other in combinations(range(models), 2):
        apart = means[:, one] - means[:, other]
        apart = apart[~np.isnan(apart)]
        if len(apart):
            share[one, other] = (np.sign(apart * (np.abs(apart) > _EQUAL)).mean() + 1) / 2
            share[other, one] = 1 - share[one, other]
    method = f"question bootstrap, {draws.resamples} resamples, seed {draws.seed}"
    return Above(share, method)


def _mean(sums: np.ndarray) -> np.ndarray:
    return ratio(sums[..., 0], sums[..., 1])


def _shared(first: Sequence[float | None], second: Sequence[float | None]) -> list[int]:
    both = zip(first, second, strict=True)
    return [index for index, (a, b) in enumerate(both) if a is not None and b is not None]


def _signs(
    first: Sequence[float | None], second: Sequence[float | None]
) -> tuple[np.ndarray, np.ndarray]:
    """Return for each pair of shared models which is above, by each grader: 1, 0 or -1."""
    pairs = list(combinations(_shared(first, second), 2))
    signs = []
    for means in (first, second):
        apart = np.array([means[a] - means[b] for a, b in pairs], float)
        signs.append(np.sign(apart * (np.abs(apart) > _EQUAL)))
    return signs[0], signs[1]
