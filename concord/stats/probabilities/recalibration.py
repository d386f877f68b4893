"""Recalibration: what probabilities are worth once their over- or underconfidence is undone.

A temperature T raises every probability to the power of 1 / T and normalises (Guo et al. 2017):
above 1 it makes an overconfident judge less sure, and it leaves the order of the scores as it is.
The T with the least ranked probability score is taken: the usual log score is infinite as soon as
one grade had no probability. Isotonic regression (Zadrozny and Elkan 2002) maps the expected score
to the mean of the annotators' scores by a function that never falls, linear between the expected
scores it was fitted to and constant beyond them.

Both are learnt on four fifths of the questions and applied to the fifth, in turn, so that what is
measured after it is out of fold; `fit` is learnt on all questions, for answers without a grade.
Before and after are compared on the same pairs.

The intervals repeat the fits (`cross_fitting`).


Cross-fitting: every question is scored by a fit to other questions, in five folds.

A sheet of other questions would have other fits, so the intervals repeat them: the questions are
left out of fitting and scoring alike, one at a time, or a fiftieth at a time where there are more,
and the others stay in their folds. This jackknife was chosen by simulation over one that takes the
fits as given, which falls short for recalibration, and over the bootstrap with repeated fits, whose
intervals are as wide and take five times as many fits; docs/statistics.md has the simulated
coverage.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from scipy.optimize import isotonic_regression

from concord.stats.core.estimate import Estimate, Reason, reason, undefined
from concord.stats.core.minimums import QUESTION_FLOOR
from concord.stats.core.pairs import Pairs
from concord.stats.core.tables import NEGLIGIBLE, distinct, positions, ratio
from concord.stats.intervals.resampling import PLAIN, ROOT, SEED, LeftOut, jackknife
from concord.stats.probabilities.reading import expected, normalised
from concord.stats.probabilities.scoring import mean, of_sums, ranked_probability_score

FOLDS = 5
GROUPS = 10 * FOLDS  # a multiple, so that all questions of a group are in the same fold
TOO_FEW = reason("too_few_questions_for_map", n=FOLDS)
# From a mask of groups to learn from and the rows to apply it to, to (rows, ...) values.
Made = Callable[[np.ndarray, np.ndarray], np.ndarray]
# From (n,) weights and (n, ...) values to what figures are made of.
Sums = Callable[[np.ndarray, np.ndarray], np.ndarray]


class CrossFit(NamedTuple):
    """Cross-fitted values of pairs.

    Attributes:
        values: (n, ...) of each pair, by a fit that has not seen its question.
        group: (n,) from `groups`.
        left_out: The sums over all pairs, then without each group of questions, with the fits
            repeated; only the first below 10 questions.
        note: What the method of an interval says of it.
    """

    values: np.ndarray
    group: np.ndarray
    left_out: LeftOut
    note: str

    def noted(self, found: Estimate) -> Estimate:
        """A figure made of `left_out`, with the note in its method."""
        return found._replace(method=found.method and found.method + self.note)


def cross_fit(pairs: Pairs, group: np.ndarray, made: Made, sums: Sums) -> CrossFit:
    """Fit to all folds but one in turn, and again without each group.

    Args:
        pairs: Of 5 questions or more.
        group: (n,) from `groups`.
        made: Learns from the pairs of the groups in a mask, and returns the values of other rows.
        sums: Sums the values by weights, which are 0 for a group that is left out.
    """
    every = _cross_fitted(group, made)
    values, number = next(every), int(group.max()) + 1
    rows = [sums(pairs.weight, values)]
    if number >= QUESTION_FLOOR:
        for one, again in enumerate(every):
            rows.append(sums(pairs.weight * (group != one), again))
    note, questions = ", fits repeated", distinct(pairs.cluster)
    if number < questions:
        note += f"; {questions:,} questions in {number} groups"
    deleted = len(rows) - 1
    weights = np.bincount(group, pairs.weight)[None, :deleted]
    left_out = LeftOut(np.array(rows), np.ones(deleted), weights)
    return CrossFit(values, group, left_out, note)


def groups(cluster: np.ndarray, seed: int = SEED) -> np.ndarray:
    """(n,) the group of each row's question, which the jackknife leaves out; its fold is that % 5.

    The questions are dealt at random. Every question is a group, until there are more than
    `GROUPS`.
    """
    questions, rank = np.unique(cluster, return_inverse=True)
    number = len(questions)
    return np.random.default_rng([seed, number]).permutation(number)[rank] % min(GROUPS, number)


def _cross_fitted(group: np.ndarray, made: Made) -> Iterator[np.ndarray]:
    """Yield (n, ...) cross-fitted values: of all questions, then without each group in turn.

    A group that is left out is in no fit; its own values remain, to be left out of the sums.
    """
    every = np.arange(group.max() + 1)
    held_out = [every % FOLDS == one for one in range(FOLDS)]
    rows = [np.flatnonzero(own[group]) for own in held_out]
    parts = [made(~own, held) for own, held in zip(held_out, rows, strict=True)]
    order = np.argsort(np.concatenate(rows))
    yield np.concatenate(parts)[order]
    for one in every:
        # Its own fold was fitted without it anyway.
        again = [
            part if own[one] else made(~own & (every != one), held)
            for own, held, part in zip(held_out, rows, parts, strict=True)
        ]
        yield np.concatenate(again)[order]


ONE_VALUE = reason("expected_scores_equal")
NO_TEMPERATURE = reason("always_certain")
# The ends of the search: one of them is a limit that was reached, not a temperature that fits best.
TEMPERATURES = (0.05, 20.0)
_LOG_TEMPERATURES = np.linspace(-np.log(TEMPERATURES[1]), np.log(TEMPERATURES[1]), 121)
_AS_IT_IS = len(_LOG_TEMPERATURES) // 2
_DECIMALS = 9
# Few questions may carry the error of what is gained, so they bound the degrees of freedom.
_ANYWHERE = (-np.inf, np.inf)


class Curve(NamedTuple):
    """An isotonic function: (m,) distinct rising expected scores, and the mean score at each."""

    expected: np.ndarray
    mapped: np.ndarray

    def __call__(self, values: np.ndarray) -> np.ndarray:
        """(n,) mapped values: linear in between, constant beyond the ends."""
        return np.interp(values, self.expected, self.mapped)


class Recalibrated(NamedTuple):
    """A judge before and after recalibration, out of fold.

    Attributes:
        fit: The temperature, or the isotonic curve, learnt on all questions; None where undefined.
        out_of_fold: (n, K) probabilities, or (n,) expected scores, by fits that have not seen the
            question; None where undefined.
        before: Ranked probability score of the probabilities, or RMSE of the expected scores.
        after: The same out of fold.
        difference: After minus before, paired; below 0 recalibration helps.
    """

    fit: float | Curve | None
    out_of_fold: np.ndarray | None
    before: Estimate
    after: Estimate
    difference: Estimate


def by_temperature(
    pairs: Pairs, probabilities: np.ndarray, scale: Sequence[int], seed: int = SEED
) -> Recalibrated:
    """Recalibrate by temperature; undefined under 5 questions, and where nothing is in doubt.

    `probabilities` is (n, K), of the answer of each pair.
    """
    if distinct(pairs.cluster) < FOLDS:
        return _undefined(TOO_FEW)
    shares, place = normalised(probabilities), positions(pairs.annotator, scale)
    # One certain score has no temperature: any power of it is the same.
    if np.isin(shares, (0.0, 1.0)).all():
        return _undefined(NO_TEMPERATURE)

    group = groups(pairs.cluster, seed)
    scores = temperature_scores(shares, place, pairs.weight, group)
    before = ranked_probability_score(shares, place)

    def made(learnt: np.ndarray, held: np.ndarray) -> np.ndarray:
        return tempered(shares[held], temperature(scores[learnt].sum(axis=0)))

    def figures(weight: np.ndarray, found: np.ndarray) -> np.ndarray:
        after = np.average(ranked_probability_score(found, place), weights=weight)
        return np.array([after, after - np.average(before, weights=weight)])

    found = cross_fit(pairs, group, made, figures)
    whole = temperature(scores.sum(axis=0))
    return Recalibrated(whole, found.values, mean(pairs, before, ROOT), *_after(found))


def by_isotonic(
    pairs: Pairs, probabilities: np.ndarray, scale: Sequence[int], seed: int = SEED
) -> Recalibrated:
    """Recalibrate the expected score; undefined under 5 questions, and where all are equal.

    `probabilities` is (n, K), of the answer of each pair.
    """
    if distinct(pairs.cluster) < FOLDS:
        return _undefined(TOO_FEW)
    values, grades = expected(probabilities, scale), pairs.annotator.astype(float)
    if np.ptp(np.round(values, _DECIMALS)) == 0:
        return _undefined(ONE_VALUE)

    group = groups(pairs.cluster, seed)

    def made(learnt: np.ndarray, held: np.ndarray) -> np.ndarray:
        rows = learnt[group]
        return curve(values[rows], grades[rows], pairs.weight[rows])(values[held])

    def figures(weight: np.ndarray, found: np.ndarray) -> np.ndarray:
        before, after = (
            np.sqrt(np.average((one - grades) ** 2, weights=weight)) for one in (values, found)
        )
        return np.array([after, after - before])

    found = cross_fit(pairs, group, made, figures)
    before = of_sums(pairs, ((values - grades) ** 2,), _root_mean, ROOT)
    whole = curve(values, grades, pairs.weight)
    return Recalibrated(whole, found.values, before, *_after(found))


def tempered(shares: np.ndarray, temperature: float) -> np.ndarray:
    """Return (n, K) probabilities at a temperature above 0; what was impossible stays so."""
    with np.errstate(divide="ignore"):
        logs = np.log(shares) / temperature
    # Relative to the most probable score, whose power cannot vanish.
    powers = np.exp(logs - logs.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def temperature_scores(
    shares: np.ndarray, place: np.ndarray, weight: np.ndarray, group: np.ndarray
) -> np.ndarray:
    """Return (groups, temperatures) weighted sums of the ranked probability score.

    From these, `temperature` finds the best one of any groups without the pairs. `shares` are
    (n, K) and sum to 1, `place` are (n,) positions of the annotators' scores, `weight` and `group`,
    from 0, are (n,).
    """
    every = (
        ranked_probability_score(tempered(shares, one), place) for one in np.exp(_LOG_TEMPERATURES)
    )
    size = group.max() + 1
    return np.stack([np.bincount(group, weight * one, size) for one in every], axis=1)


def temperature(scores: np.ndarray) -> float:
    """Return the temperature, .05 to 20, with the least ranked probability score.

    1 where no other is better, and an end of `TEMPERATURES` where the best is beyond it or there.
    `scores` are those of `temperature_scores`, summed over groups.
    """
    best = int(np.argmin(scores))
    if scores[_AS_IT_IS] - scores[best] <= NEGLIGIBLE * scores[_AS_IT_IS]:
        return 1.0
    if best in (0, len(scores) - 1):
        return TEMPERATURES[best > 0]
    # Between its neighbours, by the parabola through the three.
    left, middle, right = scores[best - 1 : best + 2]
    bend = left - 2 * middle + right
    off = np.clip((left - right) / (2 * bend), -1, 1) if bend > 0 else 0.0
    step = _LOG_TEMPERATURES[1] - _LOG_TEMPERATURES[0]
    return float(np.exp(_LOG_TEMPERATURES[best] + off * step))


def curve(values: np.ndarray, grades: np.ndarray, weight: np.ndarray) -> Curve:
    """Return the isotonic regression of grades on values, both (n,) like their weights."""
    steps, code = np.unique(np.round(values, _DECIMALS), return_inverse=True)
    base = np.bincount(code, weight)
    means = np.bincount(code, weight * grades) / base
    return Curve(steps, isotonic_regression(means, weights=base).x)


def _after(found: CrossFit) -> Iterator[Estimate]:
    """Yield the figure after recalibration, and its difference from before."""
    for at, stretch in enumerate((ROOT, PLAIN)):
        one = stretch._replace(ends=_ANYWHERE)
        yield found.noted(jackknife(found.left_out, lambda row, at=at: row[..., at], one))


def _root_mean(sums: np.ndarray) -> np.ndarray:
    return np.sqrt(ratio(sums[..., 1], sums[..., 0]))


def _undefined(why: Reason) -> Recalibrated:
    return Recalibrated(None, None, *[undefined(why)] * 3)
