"""A proportional-odds model of ordinal scores on measured features, with a reason per prediction.

Every threshold between neighbouring scores asks "above it or not?". All of them are fitted in one
regularised logistic regression, an intercept each and the slopes shared (the model of McCullagh,
"Regression models for ordinal data", 1980, fitted as stacked yes-or-no questions), so that few
grades suffice and one list of slopes says what raises a score.
"""

from typing import NamedTuple

import numpy as np

STRENGTH = 1.0  # inverse of the L2 penalty on the slopes of standardised features
_FREE = 10.0  # the intercepts' columns are this large, so the penalty hardly holds them


class Fitted(NamedTuple):
    """A fitted model: score = number of thresholds passed, counted along `scores`.

    `scores` are those seen in training, rising, length K; with K = 1 every prediction is that one.
    `slopes` is (F,) for standardised features, `intercepts` (K - 1,) for P(above scores[k]).
    """

    scores: np.ndarray
    mean: np.ndarray
    spread: np.ndarray
    slopes: np.ndarray
    intercepts: np.ndarray


def fit(features: np.ndarray, scores: np.ndarray, weights: np.ndarray) -> Fitted:
    """Fit to one row per grade: features (N, F), integer scores (N,), weights (N,) above zero.

    Features that do not vary in training have no say. Deterministic: no random start.
    """
    seen = np.unique(scores)
    mean = np.average(features, axis=0, weights=weights)
    spread = np.sqrt(np.average((features - mean) ** 2, axis=0, weights=weights))
    # Dividing by infinity turns a constant feature into 0 instead of NaN.
    spread = np.where(spread > 1e-9, spread, np.inf)
    thresholds = len(seen) - 1
    if not thresholds:
        return Fitted(seen, mean, spread, np.zeros(features.shape[1]), np.zeros(0))
    rows = np.tile((features - mean) / spread, (thresholds, 1))
    which = np.repeat(np.eye(thresholds) * _FREE, len(scores), axis=0)
    above = (scores[None, :] > seen[:-1, None]).ravel()
    from sklearn.linear_model import LogisticRegression  # half a second, where nothing is fitted

    model = LogisticRegression(
        C=STRENGTH, fit_intercept=False, solver="newton-cholesky", max_iter=200
    ).fit(np.hstack([rows, which]), above, sample_weight=np.tile(weights, thresholds))
    slopes, intercepts = np.split(model.coef_[0], [features.shape[1]])
    return Fitted(seen, mean, spread, slopes, intercepts * _FREE)


def predict(model: Fitted, features: np.ndarray) -> np.ndarray:
    """The median score for each row of features (N, F), as integers (N,).

    The median is the score with the least expected absolute error. It is the lowest score that the
    answer is not more likely than not to exceed; probabilities that do not fall from threshold to
    threshold are first lowered to the smallest before them.
    """
    logits = _standardised(model, features) @ model.slopes[:, None] + model.intercepts
    logits = np.minimum.accumulate(logits, axis=1)
    return model.scores[(logits > 0).sum(axis=1)]


def _standardised(model: Fitted, features: np.ndarray) -> np.ndarray:
    """Features in training standard deviations from the training mean."""
    return (features - model.mean) / model.spread
