"""Recheck: do a judge's scores change more than by its own noise?

The same answers, judged again. Under the null hypothesis of an unchanged judge the replies now and
the earlier ones are exchangeable.
"""

from itertools import combinations
from typing import NamedTuple

import numpy as np

from concord.stats.core.estimate import Why, reason
from concord.stats.intervals.resampling import SEED

# A reply without a score; it differs from every score.
NO_SCORE = np.inf
# The chance that an unchanged judge is ever void, and the most that one recheck may take of it.
LIFE_ERROR = 0.05
VOID_AT_MOST = 0.01
DOUBT_AT = 0.05
POWER = 0.8
SIMULATIONS = 200
SHARES = tuple(np.round(np.arange(0.01, 0.505, 0.01), 2))
_ELSEWHERE = 1e6
RENEWED, CANNOT_TELL, VOID = "renewed", "cannot_tell", "void"


class Heartbeat(NamedTuple):
    """Result of a recheck: score flips now, compared with flips between the earlier replies.

    Attributes:
        scores: Number of scores compared, one per answer and criterion; n.
        questions: Number of questions.
        expected: Number expected to differ by the judge's own noise, between replies of one time.
        seen: Number that differ between then and now; both are means over all pairs of replies.
        p_value: Probability that an unchanged judge shows at least as many flips. None without
            comparable scores.
        why_none: Why `p_value` is None.
    """

    scores: int
    questions: int
    expected: float
    seen: float
    p_value: float | None
    why_none: Why | None = None


def heartbeat(then: np.ndarray, now: np.ndarray, cluster: np.ndarray) -> Heartbeat:
    """Test whether scores flip between then and now no more than among the replies then.

    The exact permutation test: within each question the replies change places between then and now
    in every way, a reply with all its scores as a whole, and questions do so independently. The
    statistic is the number of pairs of a reply then and a reply now that differ in a score.

    Args:
        then: (n, K) scores of the replies then; `NO_SCORE` where one came without, nan where none
            came, which is not compared.
        now: (n, R) scores of the replies now, the same way.
        cluster: (n,) the question of every row.
    """
    then, now = np.asarray(then, float), np.asarray(now, float)
    compared = (~np.isnan(then)).any(1) & (~np.isnan(now)).any(1)
    then, now, cluster = then[compared], now[compared], np.asarray(cluster)[compared]
    if not len(then):
        why = reason("too_few_replies")
        return Heartbeat(0, 0, 0.0, 0.0, None, why)
    tally = _tally(np.hstack([then, now])[None], _groups(cluster))
    return Heartbeat(
        len(then),
        len(np.unique(cluster)),
        float(_within(then, now).sum()),
        float(_between(then, now).sum()),
        _p_values(tally, then.shape[1])[0],
    )


def noticeable(
    replies: np.ndarray,
    then: int,
    cluster: np.ndarray,
    simulations: int = SIMULATIONS,
    seed: int = SEED,
) -> float | None:
    """Return the smallest share of changed scores that the test detects with 80% power.

    Simulated: whole replies of a question change places between then and now, and each score
    changes in all of those now with that probability. Detection is a p-value of at most `DOUBT_AT`.

    Args:
        replies: (n, K + R) those then and those now, as for `heartbeat`.
        then: K, the number of those then.
        cluster: (n,) the question of every row.
        simulations: Number of simulations.
        seed: Any whole number from 0.

    Returns:
        A share in steps of .01, or None where even half of all scores might change undetected.
    """
    replies = np.asarray(replies, float)
    low, high = 0, len(SHARES)
    while low < high:  # the power rises with the share
        middle = (low + high) // 2
        if _power(replies, then, cluster, SHARES[middle], simulations, seed) >= POWER:
            high = middle
        else:
            low = middle + 1
    return float(SHARES[low]) if low < len(SHARES) else None


def void_at(number: int, rechecks: int) -> float | None:
    """Return the p-value at which a recheck voids: an equal part of the certificate's alpha.

    All rechecks share the earlier replies, so their p-values are dependent; the sum of levels
    bounds the probability of a false void under any dependence and timing (Bonferroni).

    Args:
        number: Number of the recheck, counted from 1.
        rechecks: Number of rechecks that share the alpha.

    Returns:
        None where all of it is spent.
    """
    return min(VOID_AT_MOST, LIFE_ERROR / rechecks) if number <= rechecks else None


def verdict(
    p_value: float | None,
    smallest: float | None,
    tolerated: float,
    whole: bool,
    level: float | None,
) -> str:
    """Return the verdict of a recheck.

    Args:
        p_value: P-value of the test.
        smallest: The smallest change the test would detect; see `noticeable`.
        tolerated: The change that must not go undetected, a share of scores.
        whole: True where every reply arrived.
        level: The p-value that voids, from `void_at`; None where no level is left.

    Returns:
        `VOID` where the p-value is at most `level`; `RENEWED` where it is above `DOUBT_AT`, every
        reply arrived, and a change of the tolerated size would be detected; `CANNOT_TELL`
        otherwise.
    """
    if p_value is not None and level is not None and p_value <= level:
        return VOID
    sharp = smallest is not None and smallest <= tolerated
    # A test too weak to see a change of the tolerated size has renewed nothing by not seeing one.
    clear = p_value is not None and p_value > DOUBT_AT
    return RENEWED if clear and sharp and whole else CANNOT_TELL


def _between(then: np.ndarray, now: np.ndarray) -> np.ndarray:
    """(n,) of all pairs of a reply then and one now, the share that differ."""
    differ, both = _differ(then, now)
    return differ.sum((1, 2)) / both.sum((1, 2))


def _within(*times: np.ndarray) -> np.ndarray:
    """(n,) of all pairs of different replies of one time, the share that differ; 0 without."""
    differ, both = np.zeros(len(times[0])), np.zeros(len(times[0]))
    for one in times:
        apart = ~np.eye(one.shape[1], dtype=bool)
        found = _differ(one, one)
        differ += (found[0] & apart).sum((1, 2))
        both += (found[1] & apart).sum((1, 2))
    return differ / np.maximum(both, 1)


def _differ(one: np.ndarray, other: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(..., K, R) which pairs differ, and which can be compared."""
    one, other = one[..., :, None], other[..., None, :]
    both = ~np.isnan(one) & ~np.isnan(other)
    return both & (one != other), both


def _groups(cluster: np.ndarray) -> np.ndarray:
    """(G, n) 1 where a row is of a question."""
    found, place = np.unique(cluster, return_inverse=True)
    return (place[None] == np.arange(len(found))[:, None]).astype(float)


def _tally(replies: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """Return (simulations, G, replies, replies): in how many scores two replies differ."""
    differ, _ = _differ(replies, replies)
    return np.einsum("gn,snij->sgij", groups, differ.astype(float))


def _p_values(tally: np.ndarray, then: int) -> list[float]:
    """The exact p-value of every simulation; the first `then` replies are those then."""
    places = tally.shape[-1]
    chosen = list(combinations(range(places), then))  # the first is what happened
    ways = np.zeros((len(chosen), places))
    ways[np.arange(len(chosen))[:, None], chosen] = 1
    flips = np.einsum("wi,sgij,wj->sgw", ways, tally, 1 - ways, optimize=True)
    # Flips are counts, but einsum multiplies as floats; bincount needs exact integers.
    return [_tail(np.rint(one).astype(int)) for one in flips]


def _tail(flips: np.ndarray) -> float:
    """Return the share of ways (G, ways) in which the questions' flips reach those of the first."""
    # Questions are independent, so the distribution of the total is the convolution of theirs.
    chances = np.ones(1)
    for one in flips:
        chances = np.convolve(chances, np.bincount(one) / len(one))
    return float(min(1.0, chances[flips[:, 0].sum() :].sum()))


def _power(
    replies: np.ndarray, then: int, cluster: np.ndarray, share: float, simulations: int, seed: int
) -> float:
    """Return the power of the test against a change of that share of the scores."""
    random, groups = np.random.default_rng(seed), _groups(np.asarray(cluster))
    drawn = random.random((simulations, len(groups), replies.shape[1])).argsort(axis=2)
    whole = replies[np.arange(len(replies))[None, :, None], drawn[:, groups.argmax(0)]]
    changed = random.random((simulations, len(replies), 1)) < share
    # Scores that were never given then, as noisy as before.
    whole[..., then:] += np.where(changed, _ELSEWHERE, 0)
    found = _p_values(_tally(whole, groups), then)
    return float(np.mean(np.array(found) <= DOUBT_AT))
