"""Annotator alerts: one-sided tests of whether an annotator's grades are out of line.

Each test asks whether an annotator does worse than the others, or grades too fast to have read. An
alert needs a difference that matters (`LEAST`) and a p value below the share of `LEVEL` that falls
on the test: all tests of an annotator together raise an alert about an honest one in at most 2% of
cases (Bonferroni). `benchmarks/annotator_alerts.py` simulates both kinds of error.
"""

from collections.abc import Hashable, Mapping
from typing import NamedTuple, TypeVar

import numpy as np
from scipy import stats

from concord.stats.core.minimums import (
    ANNOTATOR_FLOOR,
    GOLD_FLOOR,
    PAIR_FLOOR,
    REPEAT_FLOOR,
    TIMED_FLOOR,
)
from concord.stats.core.pairs import Pairs
from concord.stats.core.tables import ranked, ratio
from concord.stats.intervals.resampling import PLAIN, leave_out, p_value

LEVEL = 0.02  # of all tests of one annotator together
LEAST = 0.1  # an alert is about ten points of agreement, or .1 of kappa
TOO_FAST = 0.1  # share of grades given too fast that is still put down to short answers
EXACT, QWK = "exact", "qwk"
AGREEMENT, GOLD, REPEATS, DRIFT, SPEED = "agreement", "gold", "repeats", "drift", "speed"
# A miss or two must not stand out because the others have many right.
_FLOORS = {GOLD: GOLD_FLOOR, REPEATS: REPEAT_FLOOR}


Name = TypeVar("Name", bound=Hashable)


class Worse(NamedTuple):
    """One test: the figure of the annotator, what it is compared with, and the one-sided p.

    Attributes:
        n: Answers, or grades, of the annotator.
        own: The annotator's figure; None where undefined, or too small for a kappa.
        others: The figure it is compared with.
        p: None where there are too few data for a test.
    """

    n: int
    own: float | None
    others: float | None
    p: float | None


NOT_TESTED = Worse(0, None, None, None)


def worse_pairs(own: Pairs, others: Pairs, figure: str) -> Worse:
    """Test whether agreement is lower in `own` pairs than in `others`, by the question jackknife.

    Args:
        own: Pairs of the annotator, or of the later part of their grades.
        others: Pairs that it is compared with; questions may be in both.
        figure: `exact` or `qwk`.
    """
    n, others_n = (len(np.unique(side.item)) for side in (own, others))
    statistic = _exact if figure == EXACT else _qwk
    _, group = ranked(np.concatenate([own.cluster, others.cluster]))
    clusters = int(group.max(initial=-1)) + 1
    sides = (own, group[: len(own.item)]), (others, group[len(own.item) :])
    sums = np.concatenate([_sums(*side, clusters) for side in sides], axis=-1)

    def difference(found: np.ndarray) -> np.ndarray:
        return statistic(found[..., :_TERMS]) - statistic(found[..., _TERMS:])

    total = sums.sum(axis=0)
    floor = PAIR_FLOOR if figure == QWK else 0
    mine, theirs = (
        float(statistic(part)) if size >= floor else np.nan
        for part, size in ((total[:_TERMS], n), (total[_TERMS:], others_n))
    )
    if np.isnan(mine) or np.isnan(theirs):
        return Worse(n, None if np.isnan(mine) else mine, None, None)
    two_sided = None
    if min(n, others_n) >= ANNOTATOR_FLOOR:
        two_sided = p_value(leave_out(sums), difference, PLAIN, 0.0)
    return Worse(n, mine, theirs, _below(two_sided, mine < theirs))


def worse_shares(figure: str, right: int, n: int, others_right: int, others_n: int) -> Worse:
    """Test whether an annotator has fewer right than the others (Fisher's exact test).

    Args:
        figure: `gold` or `repeats`.
        right: How many of the annotator's `n` are right.
        n: Gold items or hidden repeats of the annotator.
        others_right: How many of the others' `others_n` are right.
        others_n: Those of all other annotators together.
    """
    if not n or not others_n:
        return Worse(n, right / n if n else None, None, None)
    total, hits = n + others_n, right + others_right
    p = float(stats.hypergeom.cdf(right, total, hits, n)) if n >= _FLOORS[figure] else None
    return Worse(n, right / n, others_right / others_n, p)


def too_fast(fast: int, n: int) -> Worse:
    """Test whether more than one grade in ten is too fast to have been read (binomial)."""
    if not n:
        return NOT_TESTED
    p = float(stats.binom.sf(fast - 1, n, TOO_FAST)) if n >= TIMED_FLOOR else None
    return Worse(n, fast / n, TOO_FAST, p)


def of_criterion(own: Pairs, rest: Pairs, third: np.ndarray) -> dict[str, Worse]:
    """Return the tests of one annotator on one criterion.

    Args:
        own: Pairs of the annotator's scores with the others'.
        rest: Pairs of the others' scores with one another.
        third: (N,) 0, 1 or 2 for the third of the annotator's grades an item is in, else -1.
    """
    first, last = (own.where(third[own.item] == part) for part in (0, 2))
    return {
        AGREEMENT: worse_pairs(own, rest, QWK),
        EXACT: worse_pairs(own, rest, EXACT),
        DRIFT: worse_pairs(last, first, EXACT),
    }


def alerts(tests: Mapping[Name, Worse]) -> list[Name]:
    """Return the names of the tests that raise an alert about an annotator, in their order."""
    known = {name: test for name, test in tests.items() if test.p is not None}
    return [
        name
        for name, test in known.items()
        if test.p <= LEVEL / len(known) and abs(test.own - test.others) >= LEAST
    ]


_TERMS = 7


def _sums(pairs: Pairs, group: np.ndarray, clusters: int) -> np.ndarray:
    """(clusters, 7) what exact agreement and kappa are made of, by cluster."""
    x, y, w = pairs.judge.astype(float), pairs.annotator.astype(float), pairs.weight
    terms = (w, w * (x == y), w * (x - y) ** 2, w * x, w * y, w * x**2, w * y**2)
    return np.stack([np.bincount(group, term, minlength=clusters) for term in terms], axis=-1)


def _exact(sums: np.ndarray) -> np.ndarray:
    return ratio(sums[..., 1], sums[..., 0])


def _qwk(sums: np.ndarray) -> np.ndarray:
    """Quadratic kappa: 1 minus the squared differences over those of independent scores."""
    observed, x, y, xx, yy = (ratio(sums[..., at], sums[..., 0]) for at in range(2, _TERMS))
    return 1 - ratio(observed, xx + yy - 2 * x * y)


def _below(two_sided: float | None, is_below: bool) -> float | None:
    if two_sided is None:
        return None
    return two_sided / 2 if is_below else 1 - two_sided / 2
