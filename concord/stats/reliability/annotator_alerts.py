"""Annotator alerts: one-sided tests of whether an annotator's grades are out of line.

Each test asks whether an annotator does worse than the others, or grades too fast to have read. An
alert needs a difference that matters (`LEAST`) and a p value below the share of `LEVEL` that falls
on the test: all tests of an annotator together raise an alert about an honest one in at most 2% of
cases (Bonferroni). Low agreement with one partner does not say which of the two it is about, so it
has to be low whichever partner is left out. `benchmarks/annotator_alerts.py` simulates both kinds
of error.
"""

from collections.abc import Callable, Hashable, Mapping
from typing import NamedTuple, Self, TypeVar

import numpy as np
from scipy import stats

from concord.stats.core.minimums import (
    ANNOTATOR_FLOOR,
    GOLD_FLOOR,
    PAIR_FLOOR,
    QUESTION_FLOOR,
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
_NOBODY = -1  # the partner of pairs without the annotator


class Shared(NamedTuple):
    """Pairs of an annotator's scores with the others', and (n,) the partner of each."""

    pairs: Pairs
    partner: np.ndarray

    def where(self, keep: np.ndarray) -> Self:
        """The pairs for which the boolean (n,) array `keep` is true."""
        return type(self)(self.pairs.where(keep), self.partner[keep])

    def without(self, partner: int) -> Pairs:
        """The pairs with all other partners."""
        return self.pairs.where(self.partner != partner)


def with_any(own: Shared, others: Shared, figure: str) -> Worse:
    """Test whether agreement is lower in `own` than in `others`, whichever partner is left out.

    A p that could raise an alert becomes the larger of itself and that without the partner whose
    absence is most in the annotator's favour. None with one partner, or where fewer than
    `QUESTION_FLOOR` answers are left.
    """
    found = worse_pairs(own.pairs, others.pairs, figure)
    partners = np.setdiff1d(np.concatenate([own.partner, others.partner]), _NOBODY)
    if found.p is None or len(partners) < 2:
        return found._replace(p=None)
    if found.p > LEVEL:
        return found
    sides = (_without_each(side, partners, figure) for side in (own, others))
    gap = np.subtract(*sides)
    if np.isnan(gap).all():
        return found._replace(p=None)
    worst = partners[np.nanargmax(gap)]
    without = worse_pairs(own.without(worst), others.without(worst), figure, QUESTION_FLOOR)
    return found._replace(p=None if without.p is None else max(found.p, without.p))


def worse_pairs(own: Pairs, others: Pairs, figure: str, least: int | None = None) -> Worse:
    """Test whether agreement is lower in `own` pairs than in `others`, by the question jackknife.

    Args:
        own: Pairs of the annotator, or of the later part of their grades.
        others: Pairs that it is compared with; questions may be in both.
        figure: `exact` or `qwk`.
        least: Answers of each side that a test requires, and a kappa; the usual ones by default.
    """
    n, others_n = (len(np.unique(side.item)) for side in (own, others))
    statistic = _statistic(figure)
    _, group = ranked(np.concatenate([own.cluster, others.cluster]))
    clusters = int(group.max(initial=-1)) + 1
    sides = (own, group[: len(own.item)]), (others, group[len(own.item) :])
    sums = np.concatenate([_sums(*side, clusters) for side in sides], axis=-1)

    def difference(found: np.ndarray) -> np.ndarray:
        return statistic(found[..., :_TERMS]) - statistic(found[..., _TERMS:])

    total = sums.sum(axis=0)
    floor = (least or PAIR_FLOOR) if figure == QWK else 0
    mine, theirs = (
        float(statistic(part)) if size >= floor else np.nan
        for part, size in ((total[:_TERMS], n), (total[_TERMS:], others_n))
    )
    if np.isnan(mine) or np.isnan(theirs):
        return Worse(n, None if np.isnan(mine) else mine, None, None)
    two_sided = None
    if min(n, others_n) >= (least or ANNOTATOR_FLOOR):
        two_sided = p_value(leave_out(sums, ([0, _TERMS],)), difference, PLAIN, 0.0)
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


def of_criterion(own: Shared, rest: Pairs, third: np.ndarray) -> dict[str, Worse]:
    """Return the tests of one annotator on one criterion.

    Args:
        own: Pairs of the annotator's scores with the others'.
        rest: Pairs of the others' scores with one another.
        third: (N,) 0, 1 or 2 for the third of the annotator's grades an item is in, else -1.
    """
    first, last = (own.where(third[own.pairs.item] == part) for part in (0, 2))
    theirs = Shared(rest, np.full(len(rest.item), _NOBODY))
    return {
        AGREEMENT: with_any(own, theirs, QWK),
        EXACT: with_any(own, theirs, EXACT),
        DRIFT: with_any(last, first, EXACT),
    }


def enough_shared(has: np.ndarray, size: np.ndarray, one: int) -> bool:
    """Return whether agreement of an annotator can be tested once all answers are graded.

    Args:
        has: (annotators, n) who grades what.
        size: (n,) how many answers that is.
        one: The row of the annotator.
    """
    mine, others = has[one], np.delete(has, one, axis=0)
    if len(others) < 2:
        return False
    main = ((others & mine) @ size).argmax()
    shared, beyond, rest = (
        size[part].sum()
        for part in (
            mine & others.any(axis=0),
            mine & np.delete(others, main, axis=0).any(axis=0),
            others.sum(axis=0) > 1,
        )
    )
    return bool(min(shared, rest) >= ANNOTATOR_FLOOR and beyond >= QUESTION_FLOOR)


def alerts(tests: Mapping[Name, Worse]) -> list[Name]:
    """Return the names of the tests that raise an alert about an annotator, in their order."""
    known = {name: test for name, test in tests.items() if test.p is not None}
    return [
        name
        for name, test in known.items()
        if test.p <= LEVEL / len(known) and abs(test.own - test.others) >= LEAST
    ]


_TERMS = 7


def _statistic(figure: str) -> Callable[[np.ndarray], np.ndarray]:
    return _exact if figure == EXACT else _qwk


def _without_each(side: Shared, partners: np.ndarray, figure: str) -> np.ndarray:
    """(partners,) the figure without each partner; NaN where nothing is left."""
    return np.array(
        [
            float(_statistic(figure)(_sums(left, np.zeros(len(left.item), int), 1)[0]))
            for left in (side.without(one) for one in partners)
        ]
    )


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
