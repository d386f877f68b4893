"""Combining rules: from what several judges gave an answer to one score.

`majority` takes the most frequent score; of several that are equally frequent, their lower median.
Every other rule is a weighted sum of features with cut points on it: one step up the scale for each
point passed. `mean` has equal weights and cuts halfway between scores. Three rules are fitted to
annotators' grades:

- `weighted`: weights of at least 0 that sum to 1, with the least squared error (Breiman 1996,
  Stacked regressions), cut halfway between scores;
- `ordinal`: the proportional-odds model, which takes features on any scale;
- `cut_points`: the same model of one feature, as cut points on it. The cut points with the most
  exact agreement would follow single grades: simulated, they agree less with new grades, and the
  interval of their out-of-fold agreement holds too rarely (docs/statistics.md).

A grade of an answer is only ever compared with a prediction by a fit to other questions
(`cross_fitted`); one fit to all of them is what grades new answers.
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
from scipy.optimize import nnls

from concord.stats.core.tables import NEGLIGIBLE
from concord.stats.correction.proportional_odds import fit as fit_ordinal
from concord.stats.probabilities.reading import cut, midpoints

Fitted = Literal["weighted", "ordinal", "cut_points"]
_SUM_TO_ONE = 1e4  # how much more an error of the sum weighs than that of all grades


class LinearRule(NamedTuple):
    """A weighted sum with cut points: the lowest score, and one step up for each point passed.

    Attributes:
        weights: (F,) of the features.
        points: (K - 1,) on the weighted sum, not falling.
        scores: (K,) rising; an ordinal fit has those that it was fitted to.
    """

    weights: np.ndarray
    points: np.ndarray
    scores: np.ndarray

    def __call__(self, features: np.ndarray) -> np.ndarray:
        """(n,) scores of features (n, F)."""
        return cut(features @ self.weights, self.points, self.scores)


class Grades(NamedTuple):
    """Annotators' grades to fit to, one row for each.

    Attributes:
        item: (g,) the place of the graded answer among the features.
        score: (g,) on the scale.
        weight: (g,) positive; the grades of one answer share a weight of 1.
    """

    item: np.ndarray
    score: np.ndarray
    weight: np.ndarray

    @classmethod
    def of(cls, item: np.ndarray, score: np.ndarray) -> "Grades":
        """Grades whose weights sum to 1 for each answer."""
        return cls(item, score, 1 / np.bincount(item)[item] if len(item) else np.zeros(0))

    def where(self, these: np.ndarray) -> "Grades":
        """Those of a (g,) mask."""
        return Grades(self.item[these], self.score[these], self.weight[these])


def majority(scores: np.ndarray) -> np.ndarray:
    """Return (n,) the most frequent of each row of scores (n, M); of equals their lower median."""
    found = np.asarray(scores)
    counts = (found[:, :, None] == found[:, None, :]).sum(axis=2)
    ties = np.where(counts == counts.max(axis=1, keepdims=True), found.astype(float), np.inf)
    # A score that m members gave is there m times, so the median is that of the distinct ones.
    often = counts.max(axis=1)
    distinct = np.isfinite(ties).sum(axis=1) // often
    place = (distinct - 1) // 2 * often
    return np.take_along_axis(np.sort(ties, axis=1), place[:, None], axis=1)[:, 0].astype(int)


def mean_rule(features: int, scale: Sequence[int]) -> LinearRule:
    """Return the rule that takes the score nearest to the mean; halfway the lower one."""
    return LinearRule(np.full(features, 1 / features), midpoints(scale), np.asarray(scale))


def fit(rule: Fitted, features: np.ndarray, grades: Grades, scale: Sequence[int]) -> LinearRule:
    """Fit a rule to all grades.

    Args:
        rule: Which.
        features: (n, F) finite; F is 1 for `cut_points`.
        grades: At least one, on the scale.
        scale: All scores, rising.
    """
    rows = features[grades.item]
    if rule == "ordinal":
        return _ordinal(rows, grades)
    if rule == "weighted":
        return LinearRule(_stacked(rows, grades), midpoints(scale), np.asarray(scale))
    return _cut_points(rows, grades)


def cross_fitted(
    rule: Fitted, features: np.ndarray, grades: Grades, fold: np.ndarray, scale: Sequence[int]
) -> tuple[np.ndarray, LinearRule]:
    """Return (n,) scores, each by a fit without the answer's fold, and the fit to all grades.

    `features` is (n, F), and `fold` (n,) the fold of each answer's question: every graded answer
    has one from 0; -1 is a question without grades, scored by the fit to all.
    """
    whole = fit(rule, features, grades, scale)
    found = whole(features)
    own = fold[grades.item]
    for one in np.unique(own):
        held = fold == one
        others = grades.where(own != one)
        # With one fold there is nothing else to learn from; the caller asks for several questions.
        found[held] = fit(rule, features, others, scale)(features[held])
    return found, whole


def _ordinal(rows: np.ndarray, grades: Grades) -> LinearRule:
    """The proportional-odds model as weights and cut points on the features' own scale."""
    model = fit_ordinal(rows, grades.score, grades.weight)
    weights = model.slopes / model.spread
    # A constant feature has an infinite spread, and with it a weight of 0.
    points = model.mean @ weights - model.intercepts
    # Thresholds that cross: the higher score needs both, as in `proportional_odds.predict`.
    return LinearRule(weights, np.maximum.accumulate(points), model.scores)


def _cut_points(rows: np.ndarray, grades: Grades) -> LinearRule:
    """The proportional-odds model of one feature, as cut points on the feature itself.

    Where it does not rise with the grades, their median is always given: a scale is not reversed.
    """
    found = _ordinal(rows, grades)
    if found.weights[0] <= NEGLIGIBLE:
        return _ordinal(np.zeros_like(rows), grades)
    return LinearRule(np.ones(1), found.points / found.weights[0], found.scores)


def _stacked(rows: np.ndarray, grades: Grades) -> np.ndarray:
    """(F,) weights of at least 0 that sum to 1, with the least squared error."""
    root = np.sqrt(grades.weight)
    heavy = _SUM_TO_ONE * np.sqrt(grades.weight.sum()) * max(1.0, np.abs(rows).max())
    design = np.vstack([rows * root[:, None], np.full(rows.shape[1], heavy)])
    found, _ = nnls(design, np.append(grades.score * root, heavy))
    return found / found.sum()
