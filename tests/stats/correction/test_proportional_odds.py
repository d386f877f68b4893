"""The ordinal model behind the embedded baseline."""

import numpy as np
from pytest import approx

from concord.stats.correction.proportional_odds import Fitted, contributions, fit, predict


def logistic_sheet(n=4000, seed=1):
    """Scores 0-3 from a proportional-odds model with slopes 2 and 0 at thresholds -2, 0, 1."""
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(n, 2))
    latent = 2 * features[:, 0] + rng.logistic(size=n)
    return features, np.searchsorted([-2, 0, 1], latent)


def test_known_slopes_and_thresholds_are_recovered():
    features, scores = logistic_sheet()
    model = fit(features, scores, np.ones(len(scores)))
    assert model.slopes / model.spread == approx([2, 0], abs=0.15)
    intercepts = model.intercepts - (model.mean / model.spread) @ model.slopes
    assert intercepts == approx([2, 0, -1], abs=0.15)


def test_without_features_the_prediction_is_the_weighted_median():
    features, scores = np.zeros((5, 1)), np.array([0, 1, 1, 3, 3])
    assert predict(fit(features, scores, np.ones(5)), features[:1]) == [1]
    heavy = np.array([1, 1, 1, 9, 9])
    assert predict(fit(features, scores, heavy), features[:1]) == [3]


def test_only_scores_seen_in_training_are_predicted():
    features, scores = logistic_sheet(300)
    model = fit(features, np.where(scores == 1, 2, scores), np.ones(300))
    assert set(predict(model, features).tolist()) == {0, 2, 3}


def test_one_score_in_training_is_always_predicted():
    model = fit(np.ones((4, 2)), np.full(4, 2), np.ones(4))
    assert predict(model, np.zeros((3, 2))).tolist() == [2, 2, 2]


def test_crossing_probabilities_are_lowered_before_they_are_counted():
    crossed = Fitted(
        np.arange(4), np.zeros(1), np.ones(1), np.zeros(1), intercepts=np.array([1.0, -1.0, 2.0])
    )
    assert predict(crossed, np.zeros((1, 1))) == [1]


def test_contributions_are_zero_at_the_training_average_and_where_nothing_varied():
    features, scores = logistic_sheet(300)
    features = np.column_stack([features, np.ones(300)])
    model = fit(features, scores, np.ones(300))
    assert contributions(model, model.mean[None, :]) == approx(np.zeros((1, 3)))
    far = contributions(model, np.array([[1.0, 1.0, 99.0]]))[0]
    assert far[0] > 0
    assert far[2] == 0
