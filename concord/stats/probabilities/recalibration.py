"""Recalibration: what probabilities are worth once their over- or underconfidence is undone.

A temperature T raises every probability to the power of 1 / T and normalises (Guo et al. 2017):
above 1 it makes an overconfident judge less sure, and it leaves the order of the scores as it is.
The T with the least ranked probability score is taken: the usual log score is infinite as soon as
one grade had no probability. Isotonic regression (Zadrozny and Elkan 2002) maps the expected score
to the mean of the annotators' scores by a function that never falls, linear between the expected
scores it was fitted to and constant beyond them.

Both are learnt on four fifths of the questions and applied to the fifth, in turn, so that what is
measured after it is out of fold; `fit` is learnt on all questions, for answers without a grade.
Before and after are compared on the same pairs. The intervals take the fits as given, so that of
the difference is somewhat too narrow; docs/statistics.md has its simulated coverage.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize_scalar

from concord.stats.core.estimate import Estimate, Reason, reason, undefined
from concord.stats.core.pairs import Pairs
from concord.stats.core.tables import distinct, positions, ratio
from concord.stats.correction.calibration_map import FOLDS, TOO_FEW, folds, isotonic
from concord.stats.intervals.resampling import PLAIN, ROOT, SEED
from concord.stats.probabilities.combining import Grades, fit
from concord.stats.probabilities.reading import expected, normalised
from concord.stats.probabilities.scoring import mean, of_sums, ranked_probability_score

ONE_VALUE = reason("expected_scores_equal")
NO_TEMPERATURE = reason("always_certain")
_LEAST, _MOST = np.log(0.05), np.log(20.0)
_DECIMALS = 9


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

    def learn(rows: np.ndarray) -> float:
        return temperature(shares[rows], place[rows], pairs.weight[rows])

    found = _cross_fitted(pairs, seed, lambda rows, held: tempered(shares[held], learn(rows)))
    whole = learn(np.arange(len(place)))
    before, after = (ranked_probability_score(one, place) for one in (shares, found))
    change = mean(pairs, after - before)
    return Recalibrated(whole, found, *(mean(pairs, one, ROOT) for one in (before, after)), change)


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

    def learn(rows: np.ndarray) -> Curve:
        return curve(values[rows], grades[rows], pairs.weight[rows])

    found = _cross_fitted(pairs, seed, lambda rows, held: learn(rows)(values[held]))
    whole = learn(np.arange(len(values)))
    before, after = ((one - grades) ** 2 for one in (values, found))
    one_by_one = [of_sums(pairs, (own,), _root_mean, ROOT) for own in (before, after)]
    change = of_sums(
        pairs,
        (after, before),
        lambda sums: _root_mean(sums) - np.sqrt(ratio(sums[..., 2], sums[..., 0])),
        PLAIN,
    )
    return Recalibrated(whole, found, *one_by_one, change)


def by_cut_points(
    pairs: Pairs, probabilities: np.ndarray, scale: Sequence[int], seed: int = SEED
) -> np.ndarray | None:
    """Return (n,) scores read by cut points on the expected score, fitted on other questions.

    None under 5 questions. `probabilities` is (n, K), of the answer of each pair.
    """
    if distinct(pairs.cluster) < FOLDS:
        return None
    values = expected(probabilities, scale)

    def made(rows: np.ndarray, held: np.ndarray) -> np.ndarray:
        grades = Grades(np.arange(len(rows)), pairs.annotator[rows], pairs.weight[rows])
        return fit("cut_points", values[rows][:, None], grades, scale)(values[held][:, None])

    return _cross_fitted(pairs, seed, made)


def tempered(shares: np.ndarray, temperature: float) -> np.ndarray:
    """Return (n, K) probabilities at a temperature above 0; what was impossible stays so."""
    with np.errstate(divide="ignore"):
        logs = np.log(shares) / temperature
    # Relative to the most probable score, whose power cannot vanish.
    powers = np.exp(logs - logs.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def temperature(shares: np.ndarray, place: np.ndarray, weight: np.ndarray) -> float:
    """Return the temperature, .05 to 20, with the least ranked probability score.

    1 where no other is better. `shares` are (n, K) and sum to 1, `place` are (n,) positions of the
    annotators' scores, and `weight` is (n,).
    """

    def score(log_temperature: float) -> float:
        made = tempered(shares, np.exp(log_temperature))
        return float(np.average(ranked_probability_score(made, place), weights=weight))

    # The score may have several valleys, so the best of a grid is refined.
    grid = np.linspace(_LEAST, _MOST, 13)
    best = int(np.argmin([score(one) for one in grid]))
    ends = grid[max(0, best - 1)], grid[min(len(grid) - 1, best + 1)]
    found = minimize_scalar(score, bounds=ends, method="bounded", options={"xatol": 1e-4})
    return float(np.exp(found.x)) if found.fun < score(0.0) else 1.0


def curve(values: np.ndarray, grades: np.ndarray, weight: np.ndarray) -> Curve:
    """Return the isotonic regression of grades on values, both (n,) like their weights."""
    steps, code = np.unique(np.round(values, _DECIMALS), return_inverse=True)
    base = np.bincount(code, weight)
    return Curve(steps, isotonic(np.bincount(code, weight * grades) / base, base))


def _cross_fitted(
    pairs: Pairs, seed: int, made: Callable[[np.ndarray, np.ndarray], np.ndarray]
) -> np.ndarray:
    """(n, ...) what `made` gives the held-out rows from the others, of all folds."""
    fold = folds(pairs.cluster, seed)
    split = [(np.flatnonzero(fold != one), np.flatnonzero(fold == one)) for one in range(FOLDS)]
    rows = np.concatenate([held for _, held in split])
    return np.concatenate([made(learnt, held) for learnt, held in split])[np.argsort(rows)]


def _root_mean(sums: np.ndarray) -> np.ndarray:
    return np.sqrt(ratio(sums[..., 1], sums[..., 0]))


def _undefined(why: Reason) -> Recalibrated:
    return Recalibrated(None, None, *[undefined(why)] * 3)
