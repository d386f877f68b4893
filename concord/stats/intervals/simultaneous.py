"""Simultaneous confidence intervals: limits of several figures that hold jointly.

Picking the best of several judges, or calling any of them good enough, reads many limits at once,
and the best of six equal judges looks better than it is. One critical value serves the whole
family, found by resampling questions: in every resample each figure's deviation is divided by its
standard error, the largest over the family is kept (max-t), and the critical value is exceeded by
these maxima in a share `level` of resamples (Westfall and Young 1993; Hothorn, Bretz and Westfall
2008). It is carried over to Student's t with questions - 1 degrees of freedom, and then used like
any quantile: Wilson's interval at the effective n for a share, the estimate plus and minus standard
errors for a difference, Fisher's z for kappa.

A figure that fewer than 5 questions can move has no usable standard error: a judge identical to the
reference has a difference of exactly 0 in every resample, a perfect judge a kappa of 1. Its limits
come from the exact binomial bound on the share of questions that would move it (Clopper and Pearson
1934), at the error level the family leaves to one figure, which is charged to the family's.

Measured on sheets of 2 answers per question with grades 70/22/5/3 and six judges right in 80
percent, the errors of a question correlated .3, 400 sheets per cell: share in which all limits of
one side hold, over 17 figures (five differences, six shares, six kappas), with .982 promised:

| questions    | 20  | 45  | 90  | |--------------|-----|-----|-----| | lower limits | .98 | .97 |
.98 | | upper limits | .96 | .95 | .98 |

Near 1 the upper limits of shares need the exact limit that `wilson.limits` takes for few misses.
Share of sheets in which the upper limits of six judges' shares all hold (300 per cell, in brackets
with Wilson's alone): right in 95 percent, .99, .98 and .97 at 20, 45 and 90 questions (the same);
in 98.5 percent, 1.00 (.98), .98 (.98) and .99 (.99); in 99.5 percent, 1.00 (.90), .96 (.95) and .98
(.98) at 45, 90 and 150. The lower limits there do not move.

Read as a test, with judges of 85 and 75 percent, 2 answers per question and a margin of 10 points,
a judge that is just not good enough is called good enough in .5 to 1 percent of sheets at one look,
one of five such judges in 1 to 2 percent. Of five judges as good as the reference at least one is
found in .49, .89 and .99 of sheets at 45, 90 and 150 questions (150 to 400 sheets per cell).

Verdicts rest on the lower limits. What the upper ones lack is kappa's: on so skewed grades its
upper limit is a little low; the differences' and the shares' hold.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy import stats

from concord.stats.core.clustered import effective_size
from concord.stats.core.estimate import (
    QUESTION_FLOOR,
    TOO_FEW,
    Estimate,
    reason,
    undefined,
    with_interval,
    without_interval,
)
from concord.stats.core.tables import NEGLIGIBLE
from concord.stats.intervals.clopper_pearson import at_most
from concord.stats.intervals.family_member import Member, statistic
from concord.stats.intervals.resampling import NO_VARIATION, UNDEFINED_AT_MOST, Draws
from concord.stats.intervals.wilson import limits

FEW_QUESTIONS = 5
NOTHING = reason("nothing_to_compare")


class Family(NamedTuple):
    """Statistics with simultaneous confidence limits.

    Attributes:
        estimates: One per member; low and high are each at the family's one-sided level.
        below: The one-sided error level of a single lower limit, after the adjustment for
            multiplicity.
        above: The same for upper limits.
    """

    estimates: list[Estimate]
    below: float
    above: float


def simultaneous(
    members: Sequence[Member], level: float, draws: Draws, two_sided: bool = False
) -> Family:
    """Return simultaneous confidence limits of all members.

    Args:
        members: The figures, all over the same G questions.
        level: Probability that any lower limit lies above its true value, and the same for the
            upper ones; with `two_sided` the probability that any limit is wrong.
        draws: The resamples.
        two_sided: One critical value for both sides.

    Returns:
        No interval below 10 questions, nor where a figure is undefined in more than 5 percent of
        resamples; undefined figures say why. None of these is part of the family.
    """
    fixed = [_withheld(member) for member in members]
    roots, lost = _roots(members, fixed, draws)
    for place in np.flatnonzero(lost > UNDEFINED_AT_MOST * draws.resamples):
        of = {"lost": lost[place], "n": draws.resamples}
        why = reason("undefined_in_resamples", **of)
        fixed[place] = without_interval(members[place].value, why)
    counts = np.array([one is None for one in fixed], bool)
    few = np.array([_is_still(member) for member in members], bool)
    # Figures that few questions move have exact limits; resampled, they would seem to have no
    # error.
    regular = roots[:, counts & ~few]
    exact = int((counts & few).sum())
    sides = (np.abs(regular),) * 2 if two_sided else (regular, -regular)
    below, above = (_tail(side, exact, level, 2 if two_sided else 1) for side in sides)
    method = f"simultaneous over {counts.sum()} figures, each side at {level:g}"
    estimates = [
        one or _limits(member, below, above, method)
        for one, member in zip(fixed, members, strict=True)
    ]
    return Family(estimates, below, above)


def _is_still(member: Member) -> bool:
    """True where too few questions can move the figure; Wilson's rule needs no spread."""
    return member.kind != "share" and member.moved < FEW_QUESTIONS


def _withheld(member: Member) -> Estimate | None:
    """Return a withheld estimate where the figure cannot join the family; else None."""
    rows = member.used
    if not len(rows):
        return undefined(NOTHING)
    value = member.value
    if np.isnan(value):
        return undefined(NO_VARIATION)
    return without_interval(value, TOO_FEW) if len(rows) < QUESTION_FLOOR else None


def _roots(
    members: Sequence[Member], fixed: list[Estimate | None], draws: Draws
) -> tuple[np.ndarray, np.ndarray]:
    """(resamples, members) departures over standard errors, and undefined resamples of each."""
    roots = np.zeros((draws.resamples, len(members)))
    lost = np.zeros(len(members), int)
    inside = [place for place, one in enumerate(fixed) if one is None]
    if not inside:
        return roots, lost
    widths = [members[place].rows.shape[1] for place in inside]
    totals = draws.totals(np.concatenate([members[place].rows for place in inside], axis=1))
    for place, sums in zip(inside, np.split(totals, np.cumsum(widths)[:-1], axis=1), strict=True):
        member = members[place]
        resampled = statistic(member.kind, sums)
        lost[place] = np.isnan(resampled).sum()
        # An undefined resample counts as no departure; figures with too many of them are withheld
        # by the caller.
        roots[:, place] = np.nan_to_num(_root(member, resampled))
    return roots, lost


def _root(member: Member, resampled: np.ndarray) -> np.ndarray:
    """(resamples,) departures over the standard error; kappa downward on Fisher's z."""
    value, spread = member.value, member.spread
    if spread < NEGLIGIBLE:
        return np.zeros_like(resampled)
    away = (resampled - value) / spread
    if member.kind != "kappa" or 1 - abs(value) < NEGLIGIBLE:
        return away
    # Kappa has a long tail towards 0, which Fisher's z, on which its limits are made, draws in;
    # upward the tangent stays finite where a resample agrees throughout.
    down = np.arctanh(np.clip(resampled, NEGLIGIBLE - 1, value)) - np.arctanh(value)
    return np.where(away < 0, down * (1 - value**2) / spread, away)


def _tail(roots: np.ndarray, exact: int, level: float, sides: int) -> float:
    """The error one figure may make so that the family as a whole makes `level`.

    `roots` is (resamples, regular figures); each of the `exact` figures with exact bounds adds its
    own error; `sides` is 2 where the departures are absolute.
    """
    largest = roots.max(axis=1) if roots.shape[1] else np.full(len(roots), -np.inf)
    # Bisection: no critical value of a family lies below that of a single figure.
    low, high = stats.norm.isf(level / sides), 20.0
    for _ in range(60):
        middle = (low + high) / 2
        spent = (largest > middle).mean() + sides * exact * stats.norm.sf(middle)
        low, high = (middle, high) if spent > level else (low, middle)
    return float(stats.norm.sf(high))


def _limits(member: Member, below: float, above: float, method: str) -> Estimate:
    rows, value = member.used, member.value
    quantiles = stats.t.isf([below, above], len(rows) - 1)
    if member.kind == "share":
        size = effective_size(rows[:, 0], rows[:, 1], member.answers)
        low, high = (
            float(limits(value, size, quantile, tail)[side])
            for side, (quantile, tail) in enumerate(zip(quantiles, (below, above), strict=True))
        )
        method = f"Wilson at effective n {size:.1f}, {method}"
        return with_interval(value, low, high, method)
    if _is_still(member):
        bounds = _few_difference if member.kind == "difference" else _few_kappa
        low, high = bounds(member, below, above)
        said = f"exact bound, {member.moved} of {len(rows)} questions differ, {method}"
        return with_interval(value, min(low, value), max(high, value), said)
    return with_interval(value, *_symmetric(member, value, quantiles), f"max-t, {method}")


def _symmetric(member: Member, value: float, quantiles: np.ndarray) -> tuple[float, float]:
    # The quantiles are of t although the tail was found on the normal scale: the spread is
    # estimated from the questions.
    steps = np.array([-1, 1]) * quantiles * member.spread
    if member.kind == "difference":
        low, high = np.clip(value + steps, -1, 1)
    else:
        low, high = np.tanh(np.arctanh(value) + steps / (1 - value**2))
    return float(low), float(high)


def _few_difference(member: Member, below: float, above: float) -> tuple[float, float]:
    """The shares of questions that can be worse, and better, at most; the others do not move.

    Exact where questions have equally many answers: a question moves the difference by at most its
    share of the answers.
    """
    apart = member.used[:, 0]
    worse, better = int((apart < 0).sum()), int((apart > 0).sum())
    return -at_most(worse, len(apart), below), at_most(better, len(apart), above)


def _few_kappa(member: Member, below: float, above: float) -> tuple[float, float]:
    """Kappa if as many questions as can be disagreed by the whole scale, in the worse direction."""
    rows = member.used
    differ = rows[:, 0] > NEGLIGIBLE
    moved = at_most(int(differ.sum()), len(rows), below)
    agreed = rows[~differ].sum(axis=0)
    agreed = agreed / agreed[1] * (1 - moved)
    length = np.sqrt(member.distance)
    worst = [
        agreed + moved * np.array([member.distance, 1, annotator, judge, member.distance])
        for annotator, judge in ((length, 0), (0, length))
    ]
    found = np.array([statistic("kappa", sums) for sums in worst])
    low = float(np.nanmin(found)) if not np.isnan(found).all() else -1.0
    return low, 1.0
