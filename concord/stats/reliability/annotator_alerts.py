"""Annotator alerts: one permutation test per annotator of all that their grades can show.

**Noise.** Take each annotator's mean shift per criterion off their scores: by least squares over
the answers that annotators share, shrunk to what shifts vary beyond chance. What is left of
annotator i has some variance v_i; of the m graders of an answer, each one's squared difference from
their mean, times m / (m - 1), is then on average v_i (1 - 1/m) plus the others' v_j / (m (m - 1)).
Gold scores are one more grader, and half the squared difference of two grades of a hidden repeat is
on average v_i. Least squares over all of these gives every v_i: which of two annotators is the
noisy one follows from their other partners, from gold items and from repeats. The statistic is v_i
less the mean of the others' v_j, less `TOLERATED` of what it would be if the scores of i were drawn
at random from their own distribution.

**Drift.** Of the annotator's answers in the order of grading: the greatest change of the mean
difference from the others, at any point with ten answers and a quarter of them on each side. An
answer weighs the inverse of its variance by the noise of its graders, times the points that the
others' mean leaves to the end of the scale, at most 1: a score at the end cannot rise. Its standard
error holds what is unknown of the shifts of those whom the answers before and after are shared
with. A change of less than a third of a point counts for nothing.

**Null.** All annotators are equally noisy, and nobody changes. Then the differences on one question
could as well be those on another one with as many graders, each grader's those of another one, and
an annotator's questions could come in any order. So questions are exchanged, with all their
answers, and the graders in them turned round; and the annotator's questions are put in random
order. Each part is put in standard deviations from its mean over the permutations; the pooled
statistic is the sum of the squares of those above 0, and p its place among its permutations
(nonparametric combination: Pesarin and Salmaso 2010, Permutation Tests for Complex Data, chapter
4). Where few permutations show that there is no alert, no more are drawn (Besag and Clifford 1991).

**Repeated checking.** Tested are everyone's first 20, 30, 40, 60, 80, 120, ... answers, so that
looking again adds no test. An alert has p at most `LEVEL` divided by the number of annotators,
times (n / 60)³ up to 60 answers and (60 / n)³ from there on: at most .15 over all tests,
which depend on one another. `benchmarks/annotator_alerts.py` simulates whole campaigns.

Copied grades: annotators whose scores equal a judge's, and not the other annotators'.
"""

from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np
from scipy import sparse

from concord.stats.core.estimate import (
    TOO_FEW,
    Estimate,
    reason,
    t_quantile,
    undefined,
    with_interval,
    without_interval,
)
from concord.stats.core.minimums import (
    ANNOTATOR_FLOOR,
    ANSWERS_FLOOR,
    OVERLAP_FLOOR,
    QUESTION_FLOOR,
)
from concord.stats.core.pairs import judge_pairs
from concord.stats.core.tables import NEGLIGIBLE, effective_number, ranked, ratio
from concord.stats.intervals.resampling import SEED
from concord.stats.statistics import figures

LEVEL = 0.07  # of a test of 60 answers, over all annotators
TOLERATED = 0.1  # honest annotators differ: as if so many of the answers were random
SHIFT_NOTED = 0.25  # points; of the interval's nearer limit
LEAST_CHANGE = 1 / 3  # points
RANDOM, DRIFT = "random", "drift"
AGREEMENT, GOLD, REPEATS = "agreement", "gold", "repeats"
_STAGES = sorted(first * 2**times for first in (ANSWERS_FLOOR, 30) for times in range(12))
_PEAK = 60  # answers with the whole of the level
_DRAWS = (199, 1999, 9999)
_CUTOFF = 1e-9  # of eigenvalues: annotators linked by shared answers leave one that is zero
_SIDE = 10  # answers on each side of a change, or shared with others than the main partner
_AT_ONCE = 2_000_000
_METHOD = "least squares over shared answers, sandwich by question, Student's t"


class Given(NamedTuple):
    """What annotators gave: a row per annotator and answer, and per gold item.

    Attributes:
        who: (rows,) the annotator, from 0; `annotators` for the known scores of a gold item.
        item: (rows,) the answer, from 0.
        when: (rows,) when it was graded, NaN where unknown.
        scores: (rows, criteria) NaN where missing.
        again: (rows, criteria) the scores of a hidden repeat, NaN without one.
        again_when: (rows,) when it was repeated.
        cluster: (answers,) the question of each answer, or its document.
        annotators: How many there are.
        ends: The lowest and the highest score of the scale.
    """

    who: np.ndarray
    item: np.ndarray
    when: np.ndarray
    scores: np.ndarray
    again: np.ndarray
    again_when: np.ndarray
    cluster: np.ndarray
    annotators: int
    ends: tuple[float, float]

    def where(self, keep: np.ndarray) -> Self:
        """The rows for which the boolean `keep` is true."""
        return self._replace(**{name: getattr(self, name)[keep] for name in self._fields[:6]})

    def by_annotator(self, values: np.ndarray) -> np.ndarray:
        """(annotators,) the sums of (rows,) values; without gold scores."""
        return np.bincount(self.who, values, self.annotators + 1)[:-1]


class Part(NamedTuple):
    """A figure over all criteria, on n answers of an annotator, and that of the other annotators.

    `agreement`: how often the score equals another annotator's; `gold`: the known one; `repeats`:
    their own first one.
    """

    figure: str
    n: int
    own: float | None
    others: float | None


class Tested(NamedTuple):
    """The test of an annotator.

    Attributes:
        n: How many of their first answers were tested.
        p: None where there is too little to compare.
        limit: An alert has a p at or below it.
        code: What stands out most: `random` or `drift`; None without an alert.
        random_share: Share of the answers that, drawn at random, would make as much noise.
        drift: Points by which the difference from the others changed; above 0 they became lenient.
        since: With which of their answers that began, from 1.
        parts: Agreement, gold items and hidden repeats among these answers.
    """

    n: int
    p: float | None = None
    limit: float | None = None
    code: str | None = None
    random_share: float | None = None
    drift: float | None = None
    since: int | None = None
    parts: tuple[Part, ...] = ()


def tests(given: Given, seed: int = SEED) -> list[Tested]:
    """Return the test of each annotator: that with an alert, else the one of most answers."""
    place = _places(given)
    timed = given.by_annotator(~np.isnan(place))
    size = given.by_annotator(np.ones(len(place)))
    level = LEVEL / max(1, (size >= ANSWERS_FLOOR).sum())
    found = [Tested(int(n)) for n in size]
    for stage in [*(one for one in _STAGES if one <= timed.max(initial=0)), None]:
        # Grades without a time are in every stage; who has no others is tested at the end.
        due = timed >= stage if stage else (timed < ANSWERS_FLOOR) & (size >= ANSWERS_FLOOR)
        limit = float(level * min(stage / _PEAK, _PEAK / stage) ** 3 if stage else level)
        while True:
            # Whoever has an alert is compared with nobody any more: noise first, since somebody
            # else's noise looks like a change, and the worst one first.
            out = np.array([one.code is not None for one in found] + [False])
            still = np.flatnonzero(due & ~out[:-1])
            if not len(still):
                break
            some = given.where(~(place >= (stage or np.inf)) & ~out[given.who])
            tested = _tested(some, still, limit, [seed, stage or 0])
            worst = max(tested, key=lambda i: (tested[i][0].code == RANDOM, tested[i][1]))
            alert = tested[worst][0].code is not None
            for i in [worst] if alert else tested:
                found[i] = tested[i][0]
            if not alert:
                break
    return found


def parts(given: Given) -> list[tuple[Part, ...]]:
    """Return agreement, gold items and hidden repeats of each annotator."""
    is_gold = given.who == given.annotators
    known = np.full((len(given.cluster), given.scores.shape[1]), np.nan)
    known[given.item[is_gold]] = given.scores[is_gold]
    given = given.where(~is_gold)
    known, scores = known[given.item], given.scores
    alike, others = np.zeros(scores.shape), np.zeros(scores.shape)
    for criterion, column in enumerate(scores.T):
        there = np.flatnonzero(~np.isnan(column))
        pair = np.column_stack([given.item[there], column[there]])
        _, group, times = np.unique(pair, axis=0, return_inverse=True, return_counts=True)
        alike[there, criterion] = times[group.ravel()] - 1
        item = given.item[there]
        others[there, criterion] = np.bincount(item, minlength=1)[item] - 1
    found = []
    for name, same, of, sides in (
        (AGREEMENT, alike, others, 2),  # a pair of annotators is one of both
        (GOLD, scores == known, ~np.isnan(scores - known), 1),
        (REPEATS, scores == given.again, ~np.isnan(scores - given.again), 1),
    ):
        n = given.by_annotator(of.any(axis=1))
        same, of = (given.by_annotator(values.sum(axis=1)) for values in (same, of))
        rest = ratio(same.sum() - sides * same, of.sum() - sides * of)
        found.append((name, n, ratio(same, of), rest))
    return [
        tuple(
            Part(name, int(n[i]), _known(own[i]), _known(rest[i])) for name, n, own, rest in found
        )
        for i in range(given.annotators)
    ]


def shifts(given: Given) -> list[tuple[int, Estimate]]:
    """Return each annotator's shared answers, and how far their scores lie above the others'.

    The mean shift over all criteria by least squares, less the mean of the others', so that nobody
    is lenient for sharing answers with a strict annotator. The interval is the sandwich's over
    questions, with Student's t.
    """
    row, criterion = np.nonzero(~np.isnan(given.scores) & (given.who < given.annotators)[:, None])
    cell = given.item[row] * given.scores.shape[1] + criterion
    shared = np.bincount(cell, minlength=1)[cell] > 1
    row, cell, score = row[shared], cell[shared], given.scores[row, criterion][shared]
    who, (questions, question) = given.who[row], ranked(given.cluster[given.item[row]])
    times = np.bincount(cell, minlength=1)[cell]
    size = given.annotators
    rated = np.bincount(who, minlength=size) > 0
    together = _together(who, cell, np.ones(len(who)), 1 / times, size)
    normal = np.diag(np.bincount(who, minlength=size)) - together
    inverse = np.linalg.pinv(normal, _CUTOFF, hermitian=True)
    shift = inverse @ np.bincount(who, _centred(score, cell, times), size)
    left = _centred(score - shift[who], cell, times)
    by_question = sparse.csr_array((left, (who, question)), (size, max(1, questions)))
    # Annotators who share answers, if only by way of others.
    linked = np.abs(np.eye(size) - normal @ inverse) > 1e-6
    found = []
    for i in range(size):
        others = linked[i] & rated & (np.arange(size) != i)
        if not others.any():
            found.append((0, undefined(reason("no_answer_graded_twice"))))
            continue
        contrast = np.where(others, -1 / others.sum(), 0.0)
        contrast[i] = 1
        value, n = float(contrast @ shift), len(np.unique(given.item[row[who == i]]))
        own = effective_number(np.bincount(question[who == i]))
        if own < QUESTION_FLOOR:
            found.append((n, without_interval(value, TOO_FEW)))
            continue
        error = np.sqrt((((contrast @ inverse) @ by_question) ** 2).sum() * own / (own - 1))
        half = t_quantile(own - 1) * error
        found.append((n, with_interval(value, value - half, value + half, _METHOD)))
    return found


def noted(n: int, shift: Estimate) -> bool:
    """True where a shift is to be noted: its interval lies beyond a quarter point."""
    if n < ANSWERS_FLOOR or shift.low is None:
        return False
    return shift.low > SHIFT_NOTED or shift.high < -SHIFT_NOTED


def _places(given: Given) -> np.ndarray:
    """(rows,) the place of each answer in its annotator's order of grading, NaN without a time."""
    order = np.lexsort((given.when, given.who))
    place = np.empty(len(order))
    place[order] = np.arange(len(order)) - np.searchsorted(given.who[order], given.who[order])
    return np.where(np.isnan(given.when) | (given.who == given.annotators), np.nan, place)


def _tested(
    given: Given, due: np.ndarray, limit: float, seed: list[int]
) -> dict[int, tuple[Tested, float]]:
    """Return the tests of the annotators `due`, from 0, with the pooled statistic of alerts."""
    # A repeat that came after the last answer belongs to a later stage.
    ends = np.full(given.annotators + 1, -np.inf)
    np.fmax.at(ends, given.who, given.when)
    late = given.again_when > np.where(np.isinf(ends), np.inf, ends)[given.who]
    given = given._replace(again=np.where(late[:, None], np.nan, given.again))
    apart, room, loss, unknown = _differences(given)
    excess, chance, noise, exchangeable = _noise(given, loss)
    room = room * _precision(given, noise, loss)[:, None]
    share = ratio(excess, chance)
    figures, size = parts(given), given.by_annotator(np.ones(len(loss)))
    found: dict[int, tuple[Tested, float]] = {}
    for draws in _DRAWS:
        permuted = _exchanged(exchangeable, due, np.random.default_rng([*seed, draws]), draws)
        for at, i in enumerate(due):
            z, p, code, pooled = {}, None, None, 0.0
            if not np.isnan(excess[i]):
                z[RANDOM] = _standard(excess[i] - TOLERATED * chance[i], permuted[:, at])
            random = np.random.default_rng([*seed, draws, i])
            points, since, own, others = _changes(given, i, apart, room, unknown, random, draws)
            if points is not None:
                z[DRIFT] = _standard(own, others)
            if z:
                own, others = (sum(np.maximum(z[k][at], 0) ** 2 for k in z) for at in (0, 1))
                p = float((1 + (others >= own - NEGLIGIBLE).sum()) / (draws + 1))
                if p <= limit:
                    code, pooled = max(z, key=lambda part: z[part][0]), own
            test = Tested(int(size[i]), p, limit, code, _known(share[i]), points, since, figures[i])
            found[int(i)] = test, pooled
        due = np.array([i for i in due if (found[int(i)][0].p or 1) * draws <= 10], int)
        if not len(due):
            break
    return found


def _differences(given: Given) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return what sets each score apart from the others' of its answer, without mean shifts.

    Shifts that are not there would take off part of a change, so they are shrunk to what they vary
    beyond chance (best linear prediction, with one variance for all criteria).

    Returns:
        (rows, criteria) the difference from the mean of the others, NaN where there is none; (2,
        rows, criteria) the points, at most 1, between their mean and the upper and lower end of the
        scale; (rows,) the squared difference from the mean of all, over the criteria; and (graders,
        graders) the covariance of what is unknown of the shifts, over the criteria.
    """
    size, criteria = given.annotators + 1, given.scores.shape[1]
    fits, varying = [], []
    for column in given.scores.T:
        row = np.flatnonzero(~np.isnan(column))
        row = row[np.bincount(given.item[row], minlength=1)[given.item[row]] > 1]
        who, item = given.who[row], given.item[row]
        times = np.bincount(item, minlength=1)[item]
        graded = np.bincount(who, minlength=size)
        normal = np.diag(graded) - _together(who, item, np.ones(len(who)), 1 / times, size)
        inverse = np.linalg.pinv(normal, _CUTOFF, hermitian=True)
        right = np.bincount(who, _centred(column[row], item, times), size)
        left = _centred(column[row] - (inverse @ right)[who], item, times)
        noise = (left**2).sum() / max(1, len(row) - np.sum(1 / times) - size)
        varying.append(((inverse @ right) ** 2 - noise * np.diag(inverse))[graded > 0])
        fits.append((row, times, normal, right, noise))
    vary = np.concatenate(varying)
    variance = max(vary.sum() / max(1, len(vary)), NEGLIGIBLE)
    left, others, loss = (np.full(given.scores.shape, np.nan) for _ in range(3))
    unknown = np.zeros((size, size))
    for criterion, (row, times, normal, right, noise) in enumerate(fits):
        inverse = np.linalg.inv(normal + np.eye(size) * max(noise / variance, 1e-6))
        unknown += noise * inverse / criteria**2
        score = given.scores[row, criterion] - (inverse @ right)[given.who[row]]
        rest = _centred(score, given.item[row], times)
        left[row, criterion] = rest * times / (times - 1)
        loss[row, criterion] = rest**2 * times / (times - 1)
        others[row, criterion] = score - left[row, criterion]
    low, high = given.ends
    room = np.clip(np.stack([high - others, others - low]), 0, 1)
    known = (~np.isnan(loss)).sum(axis=1)
    # Errors on an answer may be alike over its criteria, so that these tell less about a shift.
    alike = ratio(np.nansum(left, axis=1) ** 2, known)[known > 0].sum()
    unknown *= max(1.0, alike / max(np.nansum(left**2), NEGLIGIBLE))
    return left, room, ratio(np.nansum(loss, axis=1), known), unknown


def _noise(
    given: Given, loss: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[tuple[np.ndarray, np.ndarray]]]:
    """Return each annotator's noise above the others', and what it is made of.

    Returns:
        (annotators,) the excess, NaN where it cannot be told; (annotators,) the same if all scores
        were drawn at random; (annotators + 1,) the noise, the last that of gold scores; and by the
        number m of graders of a question (q, m) losses, which can be exchanged, with their
        (annotators, q, m) coefficients in the excess.
    """
    annotators, size = given.annotators, given.annotators + 1
    row = np.flatnonzero(~np.isnan(loss))
    who, item, loss = given.who[row], given.item[row], loss[row]
    answers = np.bincount(who, minlength=size)[:annotators]
    # The answers to one question are exchanged together, if they have the same graders.
    mark = np.random.default_rng(0).integers(2**62, size=size)
    graders = np.zeros(len(given.cluster), np.int64)
    np.add.at(graders, item, mark[who])
    _, unit = np.unique(
        np.column_stack([given.cluster[item], graders[item]]), axis=0, return_inverse=True
    )
    key, at, times = np.unique(unit.ravel() * size + who, return_inverse=True, return_counts=True)
    unit, who = np.divmod(key, size)
    loss = np.bincount(at.ravel(), loss) / times
    m = np.bincount(unit, minlength=1)[unit]
    # A grader's expected loss: own * v of the grader + other * the sum of all v of the question.
    other = 1 / (m * (m - 1))
    own = 1 - 1 / m - other
    twice = (given.scores - given.again) ** 2 / 2
    repeated = np.flatnonzero(~np.isnan(twice).all(axis=1))
    again, twice = given.who[repeated], np.nanmean(twice[repeated], axis=1)
    squares = np.diag(
        np.bincount(who, times * own**2, size) + np.bincount(again, minlength=size) + 0.0
    )
    squares += _together(who, unit, times * (2 * own * other + m * other**2), np.ones(len(m)), size)
    inverse = np.linalg.pinv(squares, _CUTOFF, hermitian=True)
    told = np.isclose(np.diag(inverse @ squares), 1, atol=1e-6)[:annotators] & (answers >= _SIDE)
    weight = answers * (told & ~np.eye(annotators, dtype=bool))
    told &= weight.any(axis=1)
    others = ratio(weight, weight.sum(axis=1, keepdims=True))
    contrast = np.hstack([np.eye(annotators) - others, np.zeros((annotators, 1))])
    part = np.where(told[:, None], contrast, 0) @ inverse
    of_unit = (
        np.stack([np.bincount(unit, one[who])[unit] for one in part])
        if len(unit)
        else np.zeros((len(part), 0))
    )
    coefficient = times * (own * part[:, who] + other * of_unit)
    excess = coefficient @ loss + part[:, again] @ twice
    exchangeable = [(twice[:, None], part[:, again, None])] if len(again) else []
    for graders in np.unique(m):
        same = m == graders
        exchangeable.append(
            (loss[same].reshape(-1, graders), coefficient[:, same].reshape(annotators, -1, graders))
        )
    total = np.bincount(unit, loss)[unit]
    right = np.bincount(who, times * (own * loss + other * total), size)
    noise = inverse @ (right + np.bincount(again, twice, size))
    spread = np.zeros(annotators)
    for i in np.flatnonzero(told):
        columns = (column[~np.isnan(column)] for column in given.scores[given.who == i].T)
        spread[i] = np.mean([column.var() for column in columns if len(column)])
    chance = np.maximum(spread + others @ (spread - 2 * noise[:-1]), 0)
    return np.where(told, excess, np.nan), chance, noise, exchangeable


def _precision(given: Given, noise: np.ndarray, loss: np.ndarray) -> np.ndarray:
    """(rows,) one over the variance of a difference from the mean of the others.

    Nobody counts as less noisy than half the mean: estimates from few answers may be below 0.
    """
    variance = np.maximum(noise, max(noise.mean() / 2, NEGLIGIBLE))[given.who]
    known = np.where(np.isnan(loss), 0, 1.0)
    times, total = (np.bincount(given.item, each)[given.item] for each in (known, known * variance))
    return 1 / (variance + (total - known * variance) / np.maximum(times - 1, 1) ** 2)


def _exchanged(
    exchangeable: list[tuple[np.ndarray, np.ndarray]],
    due: np.ndarray,
    random: np.random.Generator,
    draws: int,
) -> np.ndarray:
    """(draws, due) the excess with the losses of questions exchanged, and graders turned round."""
    found = np.zeros((draws, len(due)))
    for loss, coefficient in exchangeable:
        if loss.shape[1] == 2:  # two graders have the same loss
            loss, coefficient = loss[:, :1], coefficient.sum(axis=2, keepdims=True)
        questions, m = loss.shape
        flat = coefficient[due].reshape(len(due), -1).T
        step = max(1, _AT_ONCE // loss.size)
        for since in range(0, draws, step):
            some = min(step, draws - since)
            order = random.permuted(np.tile(np.arange(questions), (some, 1)), axis=1)
            turn = random.integers(m, size=(some, questions, 1))
            values = loss[order[:, :, None], (np.arange(m) + turn) % m]
            found[since : since + some] += values.reshape(some, -1) @ flat
    return found


def _changes(
    given: Given,
    i: int,
    apart: np.ndarray,
    room: np.ndarray,
    unknown: np.ndarray,
    random: np.random.Generator,
    draws: int,
) -> tuple[float | None, int | None, float, np.ndarray]:
    """Return how an annotator's difference from the others changes; None where it cannot be told.

    A partner's change looks like the annotator's, so that ten answers are to be shared with others
    than the main one.

    Args:
        given: What annotators gave.
        i: The annotator.
        apart: (rows, criteria) the difference.
        room: (2, rows, criteria) what a score weighs for a rise, and for a fall.
        unknown: (graders, graders) covariance of what is unknown of the graders' shifts: other
            partners than before look like a change.
        random: Of the permutations.
        draws: How many.

    Returns:
        The change that stands out most, in points, above 0 upwards; the number of the answer it
        begins with; and the statistic of the annotator and of the permutations.
    """
    nothing = None, None, 0.0, np.zeros(draws)
    mine = np.flatnonzero((given.who == i) & ~np.isnan(given.when))
    mine = mine[np.argsort(given.when[mine], kind="stable")]
    number = np.flatnonzero(~np.isnan(apart[mine]).all(axis=1))
    mine = mine[number]
    with_me = np.isin(given.item, given.item[mine]) & (given.who != i)
    main = np.bincount(given.who[with_me], minlength=1).argmax()
    beyond = len(np.unique(given.item[with_me & (given.who != main)]))
    partner = np.zeros((len(mine), given.annotators + 1))
    place = np.searchsorted(
        given.item[mine], given.item[with_me], sorter=np.argsort(given.item[mine])
    )
    partner[np.argsort(given.item[mine])[place], given.who[with_me]] = 1
    partner /= np.maximum(partner.sum(axis=1, keepdims=True), 1)
    if beyond < _SIDE or len(mine) < 2 * _SIDE:
        return nothing
    _, begins, question = np.unique(
        given.cluster[given.item[mine]], return_index=True, return_inverse=True
    )
    question = np.argsort(np.argsort(begins))[question.ravel()]  # in the order of grading
    count = len(begins)
    order = np.tile(np.arange(count), (draws + 1, 1))
    order[1:] = random.permuted(order[1:], axis=1)
    before = np.bincount(question)[order].cumsum(axis=1)
    side = max(_SIDE, len(mine) / 4)
    allowed = (before >= side) & (before <= len(mine) - side)
    points, since, own, statistic = None, None, 0.0, np.zeros(draws + 1)
    difference = np.nan_to_num(apart[mine])
    for sign, weight in zip((1, -1), np.nan_to_num(room[:, mine]), strict=True):
        weights = np.bincount(question, weight.sum(axis=1))
        values = np.bincount(question, (weight * difference).sum(axis=1)) * sign
        total = max(weights.sum(), NEGLIGIBLE)
        values -= weights * values.sum() / total
        early, later = weights[order].cumsum(axis=1), -values[order].cumsum(axis=1)
        usable = allowed & (early > NEGLIGIBLE) & (total - early > NEGLIGIBLE)
        product = np.where(usable, early * (total - early), 1) / total
        change = np.where(usable, later / product, 0)
        error = np.sqrt(max((values**2).sum() / total, NEGLIGIBLE) / product)
        with_whom = np.zeros((count, partner.shape[1]))
        np.add.at(with_whom, question, weight.sum(axis=1)[:, None] * partner)
        soon, whole = with_whom.cumsum(axis=0), with_whom.sum(axis=0)
        other = soon / np.maximum(early[0], NEGLIGIBLE)[:, None]
        other -= (whole - soon) / np.maximum(total - early[0], NEGLIGIBLE)[:, None]
        error[0] = np.sqrt(error[0] ** 2 + np.einsum("ij,jk,ik->i", other, unknown, other))
        statistic = np.maximum(statistic, (change / error).max(axis=1))
        at = int((change[0] / error[0]).argmax())
        if points is None or statistic[0] > own:
            points, since = sign * float(change[0, at]), int(number[before[0, at]]) + 1
            own = statistic[0]
    return points, since, own if abs(points) >= LEAST_CHANGE else 0.0, statistic[1:]


def _standard(own: float, permuted: np.ndarray) -> tuple[float, np.ndarray]:
    """Return a statistic and its permutations in standard deviations from their mean."""
    deviation = permuted.std()
    if deviation <= NEGLIGIBLE:
        return 0.0, np.zeros(len(permuted))
    return float((own - permuted.mean()) / deviation), (permuted - permuted.mean()) / deviation


def _together(
    who: np.ndarray, group: np.ndarray, one: np.ndarray, other: np.ndarray, size: int
) -> np.ndarray:
    """(size, size) over the groups that two graders are in, the sum of their weights' product."""
    shape = size, int(group.max(initial=0)) + 1
    left, right = (sparse.csr_array((weight, (who, group)), shape) for weight in (one, other))
    return (left @ right.T).toarray()


def _centred(score: np.ndarray, group: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Each score less the mean of its group; `times` are the scores of the group."""
    return score - np.bincount(group, score, minlength=1)[group] / times


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


ALIKE = 0.98
SCORES_IN_USE = 3


class EqualScores(NamedTuple):
    """A judge, by place, whose scores equal an annotator's on `same` of `answers`."""

    judge: int
    answers: int
    same: int


def copied(
    ratings: np.ndarray, judges: np.ndarray, cluster: np.ndarray, scale: Sequence[int]
) -> list[EqualScores | None]:
    """Return for every annotator the judge whose scores theirs equal; None without one.

    Where another annotator scored answers to 10 effective questions of theirs, 98% are equal on 30
    or more of the shared answers, with two scores or more in use, and the lower confidence limit of
    exact agreement with the judge lies above the upper limit of that with the other annotators.
    With less overlap nobody else tells: then 98% of 30 answers with three scores in use suffice.

    Args:
        ratings: (annotators, n) scores, NaN where missing.
        judges: (judges, n) scores, NaN where missing.
        cluster: (n,) cluster of each answer.
        scale: All scores of the rubric, rising.
    """

    def limits(own: np.ndarray, others: np.ndarray, on: np.ndarray) -> tuple:
        mine = np.flatnonzero(on & ~np.isnan(own))
        _, place = np.nonzero(~np.isnan(others[:, mine]))
        score = others[:, mine][~np.isnan(others[:, mine])]
        pairs = judge_pairs(mine, own[mine], mine[place], score, cluster)
        exact = figures(pairs, scale, (), names=("exact",))["exact"]
        return exact.low, exact.high

    found: list[EqualScores | None] = []
    for one, own in enumerate(ratings):
        others = np.delete(ratings, one, axis=0)
        shared = ~np.isnan(own) & (~np.isnan(others)).any(axis=0)
        questions = np.bincount(cluster[shared])
        if not questions.any() or effective_number(questions) < OVERLAP_FLOOR:
            found.append(_equal(own, judges, SCORES_IN_USE))
            continue
        # Always the same score is no trace of a copy: it equals any judge on easy answers.
        equal = _equal(np.where(shared, own, np.nan), judges, 2)
        if equal:
            both = shared & ~np.isnan(judges[equal.judge])
            low, high = (
                limits(own, judges[equal.judge][None], both)[0],
                limits(own, others, both)[1],
            )
            equal = equal if None not in (low, high) and low > high else None
        found.append(equal)
    return found


def _equal(own: np.ndarray, judges: np.ndarray, scores_in_use: int) -> EqualScores | None:
    """Return the judge of most equal scores, if 98% of 30 answers or more are equal."""
    found = []
    for place, judge in enumerate(judges):
        both = ~np.isnan(own) & ~np.isnan(judge)
        answers, same = int(both.sum()), int((own == judge)[both].sum())
        varied = len(np.unique(own[both])) >= scores_in_use
        if answers >= ANNOTATOR_FLOOR and varied and same >= ALIKE * answers:
            found.append(EqualScores(place, answers, same))
    return max(found, key=lambda one: (one.same / one.answers, -one.judge), default=None)
