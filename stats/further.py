"""Further figures: what is folded below those that decide, on whole scores and on composites.

Everything here is a function of the same weighted pairs as `stats.figures`. A composite takes few
different values, so its table has one row and one column for each of them.
"""

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from stats import agreement
from stats.clustered import kish
from stats.composite import NOT_FOR_COMPOSITES
from stats.estimate import Estimate, undefined
from stats.figures import NOTHING, PAIR_FLOOR
from stats.icc import icc
from stats.inclusion import largest
from stats.interval import FISHER, ROOT, LeftOut, Stretch, jackknife, leave_out
from stats.pairs import Pairs
from stats.table import question_tables, ranked
from stats.wilson import proportion
from words.said import said

CHANCE_CORRECTED = ("ac1", "alpha_nominal", "alpha_interval", "icc")
NAMES = (*CHANCE_CORRECTED, "spearman", "pearson", "rmse")
OF_COMPOSITES = ("alpha_interval", "icc", "tau_b", "spearman", "pearson", "rmse")
TOO_FEW_PAIRS = said("under {n} pairs there is no chance-corrected figure", n=PAIR_FLOOR)
_CELLS = 100_000
_FEW_GROUPS = 20

_Statistic = Callable[[np.ndarray], np.ndarray]


def further(
    pairs: Pairs, scale: Sequence[int], between_people: bool = False
) -> dict[str, Estimate]:
    """AC1, alpha (nominal, interval), ICC(A,1), Spearman, Pearson and RMSE of one criterion.

    All with the question jackknife; the chance-corrected ones undefined below 30 pairs.

    Args:
        pairs: The weighted pairs.
        scale: All scores of the rubric, rising.
        between_people: Each pair stands there in both orders, as from `people_pairs`.
    """
    if len(pairs.item) == 0:
        return dict.fromkeys(NAMES, undefined(NOTHING))
    left_out, count = leave_out(question_tables(pairs, scale)), _count(pairs, between_people)
    found = _estimates(left_out, NAMES, scale, 1, count)
    found["icc"] = _icc(pairs, count)
    return {name: found[name] for name in NAMES}


def composite_further(
    pairs: Pairs, denominator: int, between_people: bool = False
) -> dict[str, Estimate]:
    """Alpha (interval), ICC(A,1), tau-b, Spearman, Pearson, RMSE of composites; the rest undefined.

    Where a sheet has so many questions that their tables would not fit, questions are left out in
    groups, dealt in turn, and `method` says so.

    Args:
        pairs: The weighted pairs of composites.
        denominator: What composites are whole multiples of one over.
        between_people: As for `further`.
    """
    names, count = dict.fromkeys([*NAMES, *OF_COMPOSITES]), _count(pairs, between_people)
    if len(pairs.item) == 0:
        return dict.fromkeys(names, undefined(NOTHING))
    whole = pairs._replace(
        judge=np.rint(pairs.judge * denominator).astype(int),
        person=np.rint(pairs.person * denominator).astype(int),
    )
    scale = np.union1d(whole.judge, whole.person)
    questions, group = ranked(whole.cluster)
    groups = min(questions, max(_FEW_GROUPS, _CELLS // len(scale) ** 2))
    left_out = leave_out(question_tables(whole._replace(cluster=group % groups), scale))
    found = _estimates(left_out, OF_COMPOSITES, scale, denominator, count)
    if groups < questions:
        said = f"; {questions:,} questions in {groups:,} groups"
        found = {name: one._replace(method=one.method + said) for name, one in found.items()}
    found["icc"] = _icc(pairs, count)
    return dict.fromkeys(names, undefined(NOT_FOR_COMPOSITES)) | found


def within_points(pairs: Pairs, scale: Sequence[int]) -> dict[int, Estimate]:
    """The share of pairs at most so many points apart, for 2 points up to one below the range.

    With Wilson's interval at the effective n. Empty for a scale with a range of 2 or less; all
    undefined without pairs.
    """
    points = range(2, scale[-1] - scale[0])
    if not points or len(pairs.item) == 0:
        return dict.fromkeys(points, undefined(NOTHING))
    tables, apart = question_tables(pairs, scale), agreement.differences(scale)
    weight, base = pairs.item_weights(), tables.sum(axis=(1, 2))
    of = (base, kish(weight), largest(weight))
    return {k: proportion((tables * (apart <= k)).sum(axis=(1, 2)), *of) for k in points}


def _count(pairs: Pairs, between_people: bool) -> int:
    return len(pairs.item) // (2 if between_people else 1)


def _icc(pairs: Pairs, count: int) -> Estimate:
    """ICC(A,1) of one grader against another."""
    if count < PAIR_FLOOR:
        return undefined(TOO_FEW_PAIRS)
    scores = np.stack([pairs.person, pairs.judge], axis=1)
    return icc(scores, pairs.cluster, pairs.weight).absolute


def _estimates(
    left_out: LeftOut, names: Sequence[str], scale: Sequence[int], denominator: int, count: int
) -> dict[str, Estimate]:
    found = {}
    for name in (name for name in names if name != "icc"):
        statistic, stretch = _statistics(scale, denominator)[name]
        few = name in CHANCE_CORRECTED and count < PAIR_FLOOR
        found[name] = undefined(TOO_FEW_PAIRS) if few else jackknife(left_out, statistic, stretch)
    return found


def _statistics(scale: Sequence[int], denominator: int) -> dict[str, tuple[_Statistic, Stretch]]:
    alpha = partial(agreement.krippendorff_alpha, scale=scale)
    return {
        "ac1": (partial(agreement.gwet_ac, scale=scale), FISHER),
        "alpha_nominal": (partial(alpha, metric="nominal"), FISHER),
        "alpha_interval": (partial(alpha, metric="interval"), FISHER),
        "tau_b": (agreement.tau_b, FISHER),
        "spearman": (agreement.spearman, FISHER),
        "pearson": (partial(agreement.pearson, scale=scale), FISHER),
        "rmse": (lambda tables: agreement.rmse(tables, scale) / denominator, ROOT),
    }
