"""Agreement by segment: hand arithmetic, what is withheld, and the family-wise error."""

import numpy as np
import pytest
from scipy import stats

from concord.stats import segments
from concord.stats.core.pairs import Pairs
from concord.stats.segments import by_segment

SCALE, FAILING = (0, 1, 2, 3), (0, 1)


def made(*agreeing: tuple[int, int], score: int = 3) -> tuple[Pairs, np.ndarray]:
    """Segments of one answer per question, each with (answers, of these exact); else 1 low."""
    hit = np.concatenate([np.arange(n) < exact for n, exact in agreeing])
    person = np.full(len(hit), score)
    count = np.arange(len(hit))
    segment = np.repeat(np.arange(len(agreeing)), [n for n, _ in agreeing])
    return Pairs(np.where(hit, score, score - 1), person, np.ones(len(hit)), count, count), segment


def found(pairs, segment, count, names=("exact",)):
    return by_segment(pairs, segment, count, SCALE, FAILING, names)


def wilson(share: float, n: int, quantile: float) -> tuple[float, float]:
    """Wilson's interval, written out."""
    middle = share + quantile**2 / (2 * n)
    half = quantile * (share * (1 - share) / n + quantile**2 / (4 * n**2)) ** 0.5
    return (middle - half) / (1 + quantile**2 / n), (middle + half) / (1 + quantile**2 / n)


def test_three_segments_by_hand():
    """Segments of 20, 30 and 50 questions; every interval is at 1 - .05 / 3."""
    family = found(*made((20, 10), (30, 24), (50, 40)), 3)
    assert (family.reported, family.compared) == (3, 3)
    assert family.confidence == family.confidence_of_differences == pytest.approx(1 - 0.05 / 3)
    tail = 0.05 / 6
    low, high = wilson(0.5, 19, stats.t.isf(tail, 19))
    first = family.segments[0]
    exact = first.figures["exact"]
    assert (first.n, first.clusters) == (20, 20)
    assert (exact.value, exact.low, exact.high) == pytest.approx((0.5, low, high))
    rest_low, rest_high = wilson(0.8, 79, stats.t.isf(tail, 79))
    apart = first.differences["exact"]
    below = np.hypot(0.5 - low, rest_high - 0.8)
    above = np.hypot(high - 0.5, 0.8 - rest_low)
    assert apart.estimate.value == pytest.approx(-0.3)
    assert (apart.estimate.low, apart.estimate.high) == pytest.approx((-0.3 - below, -0.3 + above))
    p = 2 * stats.t.sf(0.3 / above * stats.t.isf(tail, 19), 19)
    assert (apart.p, apart.p_adjusted) == pytest.approx((p, 3 * p))


def test_two_segments_are_one_comparison_with_two_signs():
    family = found(*made((40, 20), (40, 36)), 2)
    assert (family.reported, family.compared) == (2, 1)
    assert family.confidence == pytest.approx(0.975)
    assert family.confidence_of_differences == 0.95
    one, other = (segment.differences["exact"] for segment in family.segments)
    assert one.estimate.value == pytest.approx(-other.estimate.value)
    assert one.p == one.p_adjusted == pytest.approx(other.p)
    assert one.differs and other.differs


def test_p_is_below_the_level_exactly_where_the_interval_excludes_none():
    for exact in range(12, 31):
        family = found(*made((30, exact), (60, 50), (45, 38)), 3)
        for one in family.segments:
            apart = one.differences["exact"]
            assert apart.differs == (apart.estimate.low > 0 or apart.estimate.high < 0)


def test_a_small_segment_has_no_figure_and_is_no_comparison_but_belongs_to_the_rest():
    family = found(*made((9, 0), (30, 24), (50, 40)), 3)
    small, second, _ = family.segments
    assert small.n == 9
    assert (small.figures["exact"].value, small.figures["exact"].why_none.code) == (
        None,
        "too_few_questions",
    )
    assert small.differences["exact"].estimate.why_none == segments.TOO_SMALL
    assert family.compared == 2
    assert second.differences["exact"].estimate.value == pytest.approx(24 / 30 - 40 / 59)


def test_a_segment_without_answers_and_a_single_one_say_why():
    pairs, segment = made((30, 24))
    family = found(pairs, segment, 2)
    only, empty = family.segments
    assert only.differences["exact"].estimate.why_none == segments.ONE_SEGMENT
    assert only.figures["exact"].low is not None
    assert empty.figures["exact"].why_none == segments.NOTHING
    family = found(*made((30, 24), (9, 3)), 2)
    why = family.segments[0].differences["exact"].estimate.why_none
    assert (why, family.compared) == (segments.REST_TOO_SMALL, 0)


def test_no_answers_at_all_have_no_figures():
    none = Pairs(*(np.zeros(0),) * 3, np.zeros(0, int), np.zeros(0, int))
    family = found(none, np.zeros(0, int), 2, ("exact", "bias"))
    assert [one.n for one in family.segments] == [0, 0]
    assert all(one.figures["bias"].value is None for one in family.segments)


def test_a_perfect_segment_has_an_interval():
    family = found(*made((40, 40), (60, 30)), 2)
    apart = family.segments[0].differences["exact"]
    assert apart.differs and apart.estimate.high <= 1


def test_answers_of_the_same_questions_are_correlated():
    """Two answers per question, alike: the difference is 0 in every question, and says so."""
    hit = np.repeat(np.arange(40) % 4 > 0, 2)
    pairs = Pairs(
        np.where(hit, 3, 2), np.full(80, 3), np.ones(80), np.arange(80), np.arange(80) // 2
    )
    family = found(pairs, np.arange(80) % 2, 2)
    apart = family.segments[0].differences["exact"]
    assert (apart.estimate.value, apart.p) == (0, 1)
    assert "correlated 1.000" in apart.estimate.method
    assert apart.estimate.high - apart.estimate.low < 0.1


def test_few_errors_that_look_alike_do_not_narrow_the_bias():
    family = found(*made((20, 20), (20, 19), (60, 40)), 3, ("bias",))
    for one in family.segments[:2]:
        bias = one.figures["bias"]
        assert bias.low < -0.1 and bias.high > 0.1
        assert "spread of all answers" in bias.method


@pytest.mark.parametrize("crossed", [False, True])
def test_the_family_wise_error_is_at_most_nominal_on_null_data_with_eight_segments(crossed):
    """Eight segments of 15 questions, or of 40 questions that all eight have an answer to.

    At most .05 of sheets should name any; 60 sheets name more than 7 with odds of 1 in 100.
    """
    random = np.random.default_rng(20231)
    names = ("exact", "bias")
    wrong = dict.fromkeys(names, 0)
    for _ in range(60):
        family = found(*null(random, crossed), 8, names)
        assert family.compared == 8
        for name in names:
            wrong[name] += any(one.differences[name].differs for one in family.segments)
    assert max(wrong.values()) <= 7


def null(random, crossed: bool) -> tuple[Pairs, np.ndarray]:
    """Answers of which a judge misses a fifth in every segment, correlated .3 in a question."""
    questions, answers = (40, 8) if crossed else (120, 2)
    cluster = np.repeat(np.arange(questions), answers)
    shared = random.standard_normal(questions)[cluster]
    noise = 0.3**0.5 * shared + 0.7**0.5 * random.standard_normal(len(cluster))
    person = random.choice(4, len(cluster), p=(0.05, 0.1, 0.25, 0.6))
    judge = person + (noise < stats.norm.ppf(0.2)) * np.where(person == 0, 1, -1)
    segment = np.arange(len(cluster)) % 8 if crossed else cluster % 8
    return Pairs(judge, person, np.ones(len(cluster)), np.arange(len(cluster)), cluster), segment
