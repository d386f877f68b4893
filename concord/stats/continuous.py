"""Agreement where a side gives continuous numbers, such as the mean of several runs or annotators.

Two such numbers are hardly ever equal, so that nothing counts which rests on equal scores: exact
agreement, kappas, alphas. Correlations hold whatever the range, errors only on the same range.

Such a number is the composite, too: a weighted mean of criteria.
"""

from collections.abc import Callable

import numpy as np

from concord.stats.agreement import coefficients
from concord.stats.core.estimate import Estimate, reason, undefined
from concord.stats.core.pairs import Pairs
from concord.stats.core.tables import ranked, ratio
from concord.stats.intervals.resampling import (
    FISHER,
    PLAIN,
    ROOT,
    Stretch,
    jackknife,
    leave_out,
)


def question_moments(pairs: Pairs) -> np.ndarray:
    """(G, 8) weighted sums per question that the figures of composites are made of.

    Columns, with j and h the composites of judge and annotator taken from the annotators' mean: 1,
    |j - h|, j - h, j, h, j * j, h * h, j * h.
    """
    middle = np.average(pairs.annotator, weights=pairs.weight)
    judge, annotator = pairs.judge - middle, pairs.annotator - middle
    apart = judge - annotator
    one = np.ones(len(apart))
    terms = (one, np.abs(apart), apart, judge, annotator, judge**2, annotator**2, judge * annotator)
    _, group = ranked(pairs.cluster)
    return np.stack([np.bincount(group, weights=pairs.weight * term) for term in terms], axis=-1)


def mae(moments: np.ndarray) -> np.ndarray:
    """Mean absolute difference (...), 0 or more, from moments (..., 8)."""
    return ratio(moments[..., 1], moments[..., 0])


def bias(moments: np.ndarray) -> np.ndarray:
    """Mean of judge minus annotator, from moments (..., 8)."""
    return ratio(moments[..., 2], moments[..., 0])


def lin_ccc(moments: np.ndarray) -> np.ndarray:
    """Lin's CCC (...), -1 to 1, from moments (..., 8); NaN where neither side varies or differs."""
    scaled = ratio(moments, moments[..., :1])
    judge, annotator = scaled[..., 3], scaled[..., 4]
    spread = scaled[..., 5] - judge**2 + scaled[..., 6] - annotator**2
    return ratio(2 * (scaled[..., 7] - judge * annotator), spread + (judge - annotator) ** 2)


CONSTANT = reason("one_side_constant")
TOO_MANY = reason("too_many_values_for_ranks")
CONTINUOUS = reason("continuous_grades")
NEEDS_CUT = reason("continuous_grades_need_cut")
ERRORS = ("bias", "mae", "ccc")
# Cells of the tables of ranks that are held at once, and of one table.
_CELLS, _TABLE = 20_000_000, 1_000_000


def correlations(pairs: Pairs) -> dict[str, Estimate]:
    """Pearson, Spearman and tau-b of continuous numbers, each with its question jackknife interval.

    Any range. Undefined where one side does not vary; the ranks also where there are so many
    different values on both sides that their table would not fit.
    """
    return {
        "spearman": _of_ranks(pairs, coefficients.spearman),
        "tau_b": _of_ranks(pairs, coefficients.tau_b),
        "pearson": pearson(pairs),
    }


def pearson(pairs: Pairs) -> Estimate:
    """Return Pearson's correlation of numbers with its question jackknife interval, -1 to 1.

    Undefined where one side does not vary.
    """
    return _of_moments(_standardised(pairs), _pearson, FISHER, (-1.0, 1.0))


def errors(pairs: Pairs) -> dict[str, Estimate]:
    """Return bias, MAE and Lin's CCC of numbers on one range.

    The first two are in points of that range. Each has its question jackknife interval, from 10
    questions on; CCC is undefined without variation.
    """
    return {
        "bias": _of_moments(pairs, bias, PLAIN),
        "mae": _of_moments(pairs, mae, ROOT),
        "ccc": _of_moments(pairs, lin_ccc, FISHER),
    }


def _of_moments(
    pairs: Pairs,
    statistic: Callable[[np.ndarray], np.ndarray],
    stretch: Stretch,
    bounds: tuple[float, float] = (-np.inf, np.inf),
) -> Estimate:
    return jackknife(leave_out(question_moments(pairs), 0), statistic, stretch, bounds, CONSTANT)


def _standardised(pairs: Pairs) -> Pairs:
    """The pairs with both sides at mean 0 and, where they vary, at standard deviation 1.

    A correlation does not depend on it, and no figures cancel where the ranges are far apart.
    """
    return pairs._replace(
        judge=_unit(pairs.judge, pairs.weight), annotator=_unit(pairs.annotator, pairs.weight)
    )


def _unit(values: np.ndarray, weight: np.ndarray) -> np.ndarray:
    away = values - np.average(values, weights=weight)
    spread = np.sqrt(np.average(away**2, weights=weight))
    varies = spread > 1e-12 * np.abs(values).max()
    return away / spread if varies else np.zeros(len(values))


def _pearson(sums: np.ndarray) -> np.ndarray:
    scaled = ratio(sums, sums[..., :1])
    judge, person = scaled[..., 3], scaled[..., 4]
    product = (scaled[..., 5] - judge**2) * (scaled[..., 6] - person**2)
    both = scaled[..., 7] - judge * person
    return np.clip(both / np.sqrt(np.where(product > 1e-18, product, np.nan)), -1, 1)


def _of_ranks(pairs: Pairs, statistic: Callable[[np.ndarray], np.ndarray]) -> Estimate:
    """A function of tables of the different values there are, with its jackknife interval.

    Where a sheet has so many questions that their tables would not fit, questions are left out in
    groups, dealt in turn; `method` names the groups.
    """
    (judges, judge), (persons, person) = (_coded(side) for side in (pairs.judge, pairs.annotator))
    if judges < 2 or persons < 2:
        return undefined(CONSTANT)
    if judges * persons > _TABLE:
        return undefined(TOO_MANY)
    questions, group = ranked(pairs.cluster)
    groups = min(questions, _CELLS // (judges * persons))
    cell = ((group % groups) * persons + person) * judges + judge
    flat = np.bincount(cell, weights=pairs.weight, minlength=groups * judges * persons)
    tables = leave_out(flat.reshape(groups, persons, judges))
    found = jackknife(tables, statistic, FISHER, (-1.0, 1.0), CONSTANT)
    if groups == questions:
        return found
    return found._replace(method=f"{found.method}; {questions:,} questions in {groups:,} groups")


def _coded(values: np.ndarray) -> tuple[int, np.ndarray]:
    """The number of different values, and the rank of each among them, from 0."""
    different, code = np.unique(values, return_inverse=True)
    return len(different), code
