"""Agreement of two graders as functions of their joint table of scores.

Every function takes tables of shape (..., K, K), rows = annotator, columns = judge, cells = summed
weights, and returns an array of the leading shape; so a point value, two thousand resamples and all
the delete-one tables are the same call. Where a figure is undefined the array holds NaN.

Conventions. Distances are differences of the scores themselves, not of their positions: on the
scale 0, 1, 5 the step from 1 to 5 counts four. Chance-corrected figures always run over the whole
scale, used or not. Where both graders gave one and the same score throughout there is no variation,
and every chance-corrected figure and every correlation is undefined; where only one of them is
constant, kappa and CCC are 0 and correlations are undefined. All but Krippendorff's alpha (which
corrects for the number of scores) do not change when all weights are multiplied.

At the end: failing verdicts, their counts, balanced accuracy and F1, and refutations' precision.
"""

from collections.abc import Collection, Sequence
from functools import cache
from typing import NamedTuple, Self

import numpy as np

from concord.stats.core.estimate import Estimate, reason, undefined
from concord.stats.core.pairs import Pairs
from concord.stats.core.tables import NEGLIGIBLE, distinct, ratio, shares
from concord.stats.intervals.wilson import proportion

Scale = Sequence[int]
# Most cells of a table (11 scores) whose pairs of cells are held as one matrix.
_FEW_CELLS = 121


def mae(tables: np.ndarray, scale: Scale) -> np.ndarray:
    """Mean absolute difference, in points of score; 0 or more."""
    return _mean(tables, differences(scale))


def bias(tables: np.ndarray, scale: Scale) -> np.ndarray:
    """Mean of judge minus annotator, in points of score; above 0 the judge is lenient."""
    steps = np.asarray(scale, float)
    return _mean(tables, steps[None, :] - steps[:, None])


def cohen_kappa(tables: np.ndarray, scale: Scale, weights: str = "none") -> np.ndarray:
    """Return Cohen's (weighted) kappa: 1 minus observed over expected disagreement; at most 1.

    Source: Cohen (1960, 1968). Undefined without variation; 0 where one grader is constant.

    `tables` is (..., K, K), and `weights` is "none" or "quadratic"; see `disagreement`.
    """
    joint, cost = shares(tables), disagreement(scale, weights)
    observed = _mean(tables, cost)
    expected = ((joint.sum(axis=-1) @ cost) * joint.sum(axis=-2)).sum(axis=-1)
    return 1 - ratio(observed, expected)


def gwet_ac2(tables: np.ndarray, scale: Scale) -> np.ndarray:
    """Return Gwet's AC2 with quadratic weights, whose chance level skew cannot inflate.

    Source: Gwet (2008): pe = sum(w) * sum(pi_k * (1 - pi_k)) / (K * (K - 1)). Without variation
    Gwet defines the value as 1; here it is undefined, as it is for the other coefficients.
    """
    joint = shares(tables)
    used = (joint.sum(axis=-1) + joint.sum(axis=-2)) / 2
    return gwet(1 - _mean(tables, disagreement(scale, "quadratic")), used, scale)


def gwet(agreed: np.ndarray, used: np.ndarray, scale: Scale) -> np.ndarray:
    """Gwet's coefficient, at most 1, from the agreement (...) and the shares of use (..., K).

    `agreed` has quadratic weights, 0 to 1. NaN where only one score is used.
    """
    size = len(scale)
    near = (1 - disagreement(scale, "quadratic")).sum() / (size * (size - 1))
    chance = near * (used * (1 - used)).sum(axis=-1)
    varies = used.max(axis=-1) < 1 - NEGLIGIBLE
    return np.where(varies, ratio(agreed - chance, 1 - chance), np.nan)


def krippendorff_alpha(tables: np.ndarray, scale: Scale, metric: str = "ordinal") -> np.ndarray:
    """Krippendorff's alpha of two graders: 1 - Do / De; at most 1.

    The number of scores enters (n - 1 in De), so weights must add up to the number of items.
    Source: Krippendorff (2011), Computing Krippendorff's alpha-reliability.

    `tables` is (..., K, K), and `metric` is "ordinal" (ranks by frequency of use) or "interval".
    """
    return _alpha(tables + np.swapaxes(tables, -1, -2), scale, metric)


def lin_ccc(tables: np.ndarray, scale: Scale) -> np.ndarray:
    """Lin's concordance correlation: 2 cov / (var + var + squared bias); -1 to 1.

    Equal to quadratic kappa on scores. Source: Lin (1989), with division by n.
    """
    annotator, judge, together = _moments(tables, np.asarray(scale, float))
    return ratio(2 * together, annotator + judge + bias(tables, scale) ** 2)


def spearman(tables: np.ndarray) -> np.ndarray:
    """Spearman's rank correlation, -1 to 1, ties at mid-ranks; undefined where one is constant."""
    joint = shares(tables)
    rows, columns = _midranks(joint.sum(axis=-1)), _midranks(joint.sum(axis=-2))
    annotator = (joint.sum(axis=-1) * (rows - 0.5) ** 2).sum(axis=-1)
    judge = (joint.sum(axis=-2) * (columns - 0.5) ** 2).sum(axis=-1)
    product = (rows - 0.5)[..., :, None] * (columns - 0.5)[..., None, :]
    return _correlation(annotator, judge, (joint * product).sum(axis=(-2, -1)))


def tau_b(tables: np.ndarray) -> np.ndarray:
    """Kendall's tau-b (corrected for ties), -1 to 1; undefined where either grader is constant.

    Tables may be (..., R, C): continuous grades have as many rows and columns as values.
    """
    rows, columns = tables.shape[-2:]
    balance, untied = (_by_products if rows * columns <= _FEW_CELLS else _by_sums)(tables)
    return _correlation(*untied, balance)


def _by_products(tables: np.ndarray) -> tuple[np.ndarray, list[np.ndarray]]:
    """Concordant less discordant pairs, and untied ones by rows and columns, of small tables."""
    rows, columns = tables.shape[-2:]
    flat = tables.reshape(*tables.shape[:-2], rows * columns)
    order, margins = _order(rows, columns)
    # Products of matrices: a plan computes this for millions of tables.
    total = flat.sum(axis=-1)
    # NaN and not an error: an empty table has no tau-b, and of a million resamples some are empty.
    squared = np.where(total > NEGLIGIBLE, total, np.nan) ** 2
    # Each pair of cells counts by the product of their weights.
    balance = np.einsum("...i,...i->...", flat @ order, flat) / squared
    untied = [
        1 - np.einsum("...i,...i->...", used, used) / squared
        for used in (flat @ margin for margin in margins)
    ]
    return balance, untied


def _by_sums(tables: np.ndarray) -> tuple[np.ndarray, list[np.ndarray]]:
    """The same of large tables, whose pairs of cells would not fit into memory."""
    joint = shares(tables)
    below = _sum_before(_sum_before(joint, -1), -2)
    above = _sum_before(_sum_before(joint[..., ::-1], -1)[..., ::-1], -2)
    balance = 2 * (joint * (below - above)).sum(axis=(-2, -1))
    return balance, [1 - (joint.sum(axis=axis) ** 2).sum(axis=-1) for axis in (-1, -2)]


def _sum_before(values: np.ndarray, axis: int) -> np.ndarray:
    return np.cumsum(values, axis=axis) - values


@cache
def _order(rows: int, columns: int) -> tuple[np.ndarray, tuple[np.ndarray, np.ndarray]]:
    """Of flat tables: the sign of each pair of cells' order, and what sums rows and columns."""
    down, across = (
        np.sign(np.subtract.outer(steps, steps)).astype(float)
        for steps in (np.arange(rows), np.arange(columns))
    )
    by_row = np.kron(np.eye(rows), np.ones((columns, 1)))
    by_column = np.kron(np.ones((rows, 1)), np.eye(columns))
    return np.kron(down, across), (by_row, by_column)


def differences(scale: Scale) -> np.ndarray:
    """(K, K) absolute differences of the scores."""
    steps = np.asarray(scale, float)
    return np.abs(steps[:, None] - steps[None, :])


def disagreement(scale: Scale, weights: str) -> np.ndarray:
    """Return (K, K) disagreement weights, 0 on the diagonal, 1 for the worst pair.

    "none" is 1 for any difference, "quadratic" the square of the difference over the scale's range.
    """
    distance = differences(scale)
    if weights == "none":
        return (distance > 0).astype(float)
    return (distance / distance.max()) ** 2


def _mean(tables: np.ndarray, values: np.ndarray) -> np.ndarray:
    cells = tables.reshape(*tables.shape[:-2], -1)
    return ratio(cells @ values.ravel().astype(float), cells.sum(axis=-1))


def _moments(tables: np.ndarray, steps: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Variance of annotator, variance of judge, covariance; all with division by n."""
    joint = shares(tables)
    rows, columns = joint.sum(axis=-1), joint.sum(axis=-2)
    annotator = steps - (rows @ steps)[..., None]
    judge = steps - (columns @ steps)[..., None]
    together = (joint * annotator[..., :, None] * judge[..., None, :]).sum(axis=(-2, -1))
    return (rows * annotator**2).sum(axis=-1), (columns * judge**2).sum(axis=-1), together


def _correlation(one: np.ndarray, other: np.ndarray, together: np.ndarray) -> np.ndarray:
    varies = np.where(np.minimum(one, other) > NEGLIGIBLE, one * other, 0)
    return np.clip(ratio(together, np.sqrt(varies)), -1, 1)


def _midranks(margin: np.ndarray) -> np.ndarray:
    """Mean rank of each score as a share of all, from the (..., K) shares of use."""
    return np.cumsum(margin, axis=-1) - margin / 2


def _alpha(coincidences: np.ndarray, scale: Scale, metric: str) -> np.ndarray:
    """Alpha from symmetric (..., K, K) coincidences of scores that add up to the scores' number.

    The ordinal distance of Krippendorff is the squared difference of mean ranks.
    """
    number = coincidences.sum(axis=(-2, -1))
    joint = shares(coincidences)
    used = joint.sum(axis=-1)
    place = _midranks(used) if metric == "ordinal" else np.asarray(scale, float)
    apart = (place[..., :, None] - place[..., None, :]) ** 2
    observed = (joint * apart).sum(axis=(-2, -1))
    expected = (used[..., :, None] * used[..., None, :] * apart).sum(axis=(-2, -1))
    return 1 - ratio((number - 1) * observed, number * expected)


NONE_FAILED = reason("no_failing_answer")
NONE_PASSED = reason("no_passing_answer")
NONE_CALLED = reason("no_failing_verdict")
NONE_SAID = reason("no_checked_verdict")


class VerdictCounts(NamedTuple):
    """Numbers of answers behind the figures of failing verdicts.

    Attributes:
        failing: Answers that at least one annotator failed.
        passing: Answers that at least one annotator passed.
        judge_failing: Answers with a score by an annotator that the judge failed; None where its
            grades are continuous numbers.
    """

    failing: int
    passing: int
    judge_failing: int | None

    @classmethod
    def of(cls, pairs: Pairs, failing: Collection[int]) -> Self:
        """Count the answers of some pairs, by the scores that fail."""
        by_annotator, by_judge = (
            np.isin(one, list(failing)) for one in (pairs.annotator, pairs.judge)
        )
        return cls(*(distinct(pairs.item[one]) for one in (by_annotator, ~by_annotator, by_judge)))


def balanced_accuracy(tables: np.ndarray, fails: np.ndarray) -> np.ndarray:
    """Return the mean of recall and specificity of failing verdicts, 0 to 1; 0.5 is chance.

    Args:
        tables: (..., K, K) summed weights, rows = annotator, columns = judge.
        fails: (K,) which scores fail.

    Returns:
        (...) NaN where annotators fail nothing or pass nothing.
    """
    by_annotator = tables.sum(axis=-1)
    recall = ratio(
        tables[..., fails, :][..., :, fails].sum(axis=(-2, -1)), by_annotator[..., fails].sum(-1)
    )
    specificity = ratio(
        tables[..., ~fails, :][..., :, ~fails].sum(axis=(-2, -1)), by_annotator[..., ~fails].sum(-1)
    )
    return (recall + specificity) / 2


def failure_f1(tables: np.ndarray, fails: np.ndarray) -> np.ndarray:
    """Return the F1 of failing verdicts: the harmonic mean of recall and precision, 0 to 1.

    Args:
        tables: (..., K, K) summed weights, rows = annotator, columns = judge.
        fails: (K,) which scores fail.

    Returns:
        (...) 2 * both fail / (annotator fails + judge fails); NaN where either fails nothing.
    """
    by_annotator = tables[..., fails, :].sum(axis=(-2, -1))
    by_judge = tables[..., :, fails].sum(axis=(-2, -1))
    both = tables[..., fails, :][..., :, fails].sum(axis=(-2, -1))
    found = ratio(2 * both, by_annotator + by_judge)
    return np.where((by_annotator > NEGLIGIBLE) & (by_judge > NEGLIGIBLE), found, np.nan)


def refutation_precision(right: np.ndarray, cluster: np.ndarray) -> Estimate:
    """Return the share of refutations that are right, with Wilson's interval at the effective n.

    Both are (N,): where the refutation was confirmed, and the question, or document, of each.

    Returns:
        0 to 1; undefined where N is 0, the interval is withheld below 10 effective questions.
    """
    if len(right) == 0:
        return undefined(NONE_SAID)
    _, place = np.unique(cluster, return_inverse=True)
    return proportion(np.bincount(place, right), np.bincount(place).astype(float))
