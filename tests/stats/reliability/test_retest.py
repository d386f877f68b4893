import numpy as np
import pytest

from concord.messages import message_of
from concord.stats.reliability.multi_rater import krippendorff_alpha
from concord.stats.reliability.retest import consistency

SCALE = (0, 1, 2, 3)


def of(ratings, answers_per_question=1):
    """Consistency of (repeats, items) scores; nan where an answer was not repeated."""
    ratings = np.asarray(ratings, float)
    _, item = np.nonzero(~np.isnan(ratings))
    cluster = np.arange(ratings.shape[1]) // answers_per_question
    return consistency(item, ratings[~np.isnan(ratings)], cluster, SCALE)


def test_repeats_by_hand():
    """Of 3 repeats 0, 0, 2 one pair of three is equal and two are off by two; 3, 3, 3 all equal."""
    found = of([[0, 3], [0, 3], [2, 3]])
    assert (found.answers, found.repeats) == (2, 3)
    assert found.exact.value == pytest.approx((1 / 3 + 1) / 2)
    assert found.flips.value == pytest.approx((2 / 3 + 0) / 2)


def test_a_judge_that_repeats_itself_is_exact_and_never_flips():
    random = np.random.default_rng(1)
    found = of([random.integers(0, 4, 60)] * 3)
    assert (found.exact.value, found.flips.value) == (1, 0)
    assert (found.qwk.value, found.alpha.value) == (pytest.approx(1), pytest.approx(1))
    assert found.exact.low > 0.9


@pytest.mark.parametrize("missing", [False, True])
def test_alpha_is_krippendorffs_over_all_repeats(missing):
    random = np.random.default_rng(8)
    ratings = np.clip(random.integers(0, 4, 50) + random.integers(-1, 2, (3, 50)), 0, 3.0)
    if missing:
        ratings[2, ::3] = np.nan
        ratings[1:, 10] = np.nan
    found = of(ratings)
    expected = krippendorff_alpha(ratings, SCALE, "interval").value
    assert found.alpha.value == pytest.approx(expected)
    assert found.alpha.low < expected < found.alpha.high


def test_below_thirty_repeated_answers_there_is_no_chance_corrected_figure():
    found = of(np.random.default_rng(1).integers(0, 4, (3, 29)))
    assert found.exact.value is not None
    assert "requires 30" in message_of(found.qwk.why_none)
    assert "requires 30" in message_of(found.alpha.why_none)


def test_without_repeats_everything_is_undefined():
    found = of([[0, 1, 2]])
    assert found.answers == 0
    assert message_of(found.exact.why_none) == "no answer was graded twice"


def test_answers_to_the_same_questions_are_worth_less():
    ratings = np.repeat(np.random.default_rng(3).integers(0, 4, (2, 40)), 3, axis=1)
    apart, together = of(ratings), of(ratings, answers_per_question=3)
    assert together.exact.high - together.exact.low > apart.exact.high - apart.exact.low
    assert together.qwk.high - together.qwk.low > apart.qwk.high - apart.qwk.low


def test_the_intervals_hold_the_true_figures_as_often_as_they_say():
    """Three answers per question, one repeat in five off; the truth by one very long run."""
    random = np.random.default_rng(6)

    def judged(questions):
        level = np.repeat(random.integers(0, 4, questions), 3)
        slip = np.repeat(random.random((3, questions)) < 0.5, 3, axis=1)
        off = (random.random((3, 3 * questions)) < 0.4) & slip
        return np.where(off, (level + 1) % 4, level)

    truth = of(judged(20_000), 3)
    hits = np.zeros(3)
    for _ in range(150):
        found = of(judged(40), 3)
        figures = ((found.exact, truth.exact), (found.qwk, truth.qwk), (found.alpha, truth.alpha))
        hits += [own.low <= true.value <= own.high for own, true in figures]
    assert (hits / 150 >= 0.91).all()
