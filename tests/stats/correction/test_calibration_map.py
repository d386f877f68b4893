import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from concord.messages import message_of
from concord.stats.core.pairs import Pairs
from concord.stats.correction import calibration_map as maps
from concord.stats.correction.calibration_map import (
    COLLAPSED,
    MEAN,
    MEDIAN,
    calibration_map,
    isotonic,
    pooled,
)
from concord.stats.intervals.cross_fitting import folds

SCALE = (0, 1, 2, 3)


def pairs(judge, person, cluster=None) -> Pairs:
    count = len(judge)
    clusters = np.arange(count) if cluster is None else np.asarray(cluster)
    return Pairs(np.asarray(judge), np.asarray(person), np.ones(count), np.arange(count), clusters)


def lenient(questions=40, seed=2):
    """A judge one point above annotators, 3 answers per question; at the top it stays in place."""
    person = np.random.default_rng(seed).integers(0, 4, questions * 3)
    return pairs(np.minimum(person + 1, 3), person, np.repeat(np.arange(questions), 3))


def test_isotonic_equals_the_published_vector():
    x = np.array([0, 0, 1, 1, 1, 2, 2, 3, 3])
    y = np.array([1, 2, 0, 1, 1, 3, 2, 2, 2])
    means = np.array([y[x == score].mean() for score in SCALE])
    assert isotonic(means, np.bincount(x).astype(float)) == pytest.approx([1, 1, 2.25, 2.25])


@given(st.lists(st.tuples(st.floats(-3, 3), st.floats(0.1, 5)), min_size=1, max_size=12))
@settings(max_examples=60)
def test_isotonic_rises_keeps_the_mean_and_changes_nothing_that_rises(points):
    values, weights = np.array(points).T
    found = isotonic(values, weights)
    assert (np.diff(found) >= -1e-12).all()
    assert np.average(found, weights=weights) == pytest.approx(np.average(values, weights=weights))
    assert isotonic(found, weights) == pytest.approx(found)


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ((10, 10, 10, 10), (0, 1, 2, 3)),
        ((3, 12, 20, 30), (0, 0, 1, 2)),
        ((12, 0, 20, 4), (0, 1, 1, 1)),
        ((0, 30, 0, 5), (0, 0, 0, 0)),
    ],
)
def test_scores_given_less_than_ten_times_are_pooled_with_a_neighbour(counts, expected):
    assert tuple(pooled(np.array(counts))) == expected


def test_an_answer_graded_by_two_annotators_counts_once_in_a_pool():
    """Twelve answers graded twice: six have a 0 of the judge, which is too few for a pool."""
    twice = Pairs(*(np.repeat(one, 2) for one in pairs([0, 3] * 6, [0, 3] * 6)))
    found = calibration_map(twice, SCALE, MEDIAN)
    assert found.why_none == maps.TOO_RARE


def test_a_question_is_in_one_fold_and_folds_are_even():
    cluster = np.repeat(np.arange(40), 3)
    found = folds(cluster)
    assert all(len(set(found[cluster == question])) == 1 for question in range(40))
    assert set(np.bincount(found)) == {24}


def test_the_median_map_undoes_a_judge_that_is_one_point_lenient():
    """Above 1 the map is exact; a 3 of the judge may be a 2 or a 3 of the annotators."""
    found = calibration_map(lenient(), SCALE, MEDIAN)
    assert found.mapped[1:3] == pytest.approx([0, 1])
    assert np.isnan(found.mapped[0])  # the judge never says 0
    assert found.before["bias"].value > 0.6
    assert found.after["exact"].value > found.before["exact"].value + 0.3
    assert (found.distinct, found.failure) == (3, None)


def test_the_mean_map_removes_the_bias():
    found = calibration_map(lenient(), SCALE, MEAN)
    assert abs(found.after["bias"].value) < 0.05 < found.before["bias"].value
    assert (np.diff(found.mapped[1:]) >= 0).all()


def test_a_map_is_read_out_of_fold():
    """Noise has nothing to learn: in its own fold a map would look better than the mean."""
    random = np.random.default_rng(9)
    noise = pairs(random.integers(0, 4, 120), random.integers(0, 4, 120))
    found = calibration_map(noise, SCALE, MEAN)
    own = np.abs(noise.annotator - found.mapped[noise.judge]).mean()
    centre = np.abs(noise.annotator - noise.annotator.mean()).mean()
    assert own <= centre <= found.after["mae"].value


def test_a_map_that_collapses_is_a_failure():
    """Nine of ten answers deserve a 3 whatever the judge says: the median map always says 3."""
    random = np.random.default_rng(4)
    judge = random.integers(0, 4, 200)
    person = np.where(random.random(200) < 0.9, 3, random.integers(0, 3, 200))
    found = calibration_map(pairs(judge, person), SCALE, MEDIAN)
    assert found.distinct == 1
    assert found.failure == COLLAPSED
    assert found.after["exact"].value > found.before["exact"].value
    assert found.after["qwk"].value == pytest.approx(0)


@pytest.mark.parametrize(
    ("made", "why"),
    [
        (pairs([0, 3], [0, 3]), "requires 5 questions"),
        (pairs([2] * 40, [1, 2] * 20), "one score only"),
        (pairs([2] * 40 + [1] * 5, [1] * 45), "no two groups of 10"),
    ],
)
def test_without_ground_there_is_no_map(made, why):
    found = calibration_map(made, SCALE, MEDIAN)
    assert found.mapped is None
    assert why in message_of(found.why_none)


def test_weights_of_annotators_are_shares():
    """Two annotators of one answer share its weight: the median of 0 (.5), 3 (.5), 3 (1) is 3."""
    assert maps.weighted_median(np.array([0, 3, 3]), np.array([0.5, 0.5, 1])) == 3
    assert maps.weighted_median(np.array([0, 3]), np.array([1, 1])) == 0


def by_hand(sheet, kept, fold):
    """(n,) means of annotators for each score of the judge, learnt on other folds, made to rise."""
    mapped = np.zeros(len(fold))
    for one in range(5):
        learnt = kept & (fold != one)
        judge, annotator = sheet.judge[learnt], sheet.annotator[learnt]
        given = np.unique(judge)
        means = np.array([annotator[judge == score].mean() for score in given])
        rising = np.zeros(4)
        rising[given] = isotonic(means, np.bincount(judge)[given])
        mapped[fold == one] = rising[sheet.judge[fold == one]]
    return mapped


def test_the_interval_of_a_map_repeats_the_fits_without_each_question():
    sheet = lenient(30)
    fold = folds(sheet.cluster)

    def bias(kept):
        return (by_hand(sheet, kept, fold) - sheet.annotator)[kept].mean()

    value = bias(np.ones(90, bool))
    without = np.array([bias(sheet.cluster != one) for one in range(30)])
    half = stats.t.ppf(0.975, 29) * np.sqrt(29 / 30 * ((without - without.mean()) ** 2).sum())
    found = calibration_map(sheet, SCALE, MEAN).after["bias"]
    assert found[:3] == pytest.approx((value, value - half, value + half))
    assert found.method == "question jackknife, t(29), fits repeated"


@pytest.mark.parametrize("kind", [MEAN, MEDIAN])
def test_every_interval_of_a_map_repeats_the_fits(kind):
    found = calibration_map(lenient(120), SCALE, kind)
    for one in found.after.values():
        assert one.low <= one.value <= one.high
        assert one.method.endswith(", fits repeated; 120 questions in 50 groups")
    assert not any("fits repeated" in one.method for one in found.before.values())
