import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest, norm

from concord.messages import message_of
from concord.stats.comparison.mcnemar import mcnemar
from concord.stats.intervals import tango
from concord.stats.intervals.tango import Discordant

PUBLISHED = Discordant(12, 5, 100, 100)
COUNTS = st.tuples(st.integers(0, 20), st.integers(0, 20), st.integers(1, 30)).map(
    lambda three: Discordant(three[0], three[1], sum(three), sum(three))
)


def test_answers_are_counted_from_what_each_judge_got_right():
    first, second = np.array([1, 1, 0, 0, 1], bool), np.array([1, 0, 1, 0, 0], bool)
    assert Discordant.of(first, second, np.arange(5)) == Discordant(2, 1, 5, 5)
    assert Discordant.of(first, second, np.zeros(5, int)).questions == 1


def test_mcnemar_gives_the_published_p_values():
    found = mcnemar(PUBLISHED)
    assert found.exact == pytest.approx(0.143463134765625, abs=1e-9)
    assert found.mid_p == pytest.approx(0.09625244140624994, abs=1e-9)


@given(COUNTS)
@settings(max_examples=50)
def test_mcnemar_is_symmetric_and_mid_p_is_the_less_cautious(counts):
    swapped = counts._replace(first_only=counts.second_only, second_only=counts.first_only)
    found = mcnemar(counts)
    assert found == mcnemar(swapped)
    if found.exact is not None:
        together = counts.first_only + counts.second_only
        assert found.exact == pytest.approx(binomtest(counts.first_only, together).pvalue)
        assert 0 < found.mid_p <= found.exact <= 1


def test_without_a_discordant_answer_mcnemar_is_undefined():
    assert message_of(mcnemar(Discordant(0, 0, 9, 9)).why_none) == (
        "there is no answer on which only one of the two is right"
    )


@pytest.mark.parametrize(
    ("confidence", "expected"),
    [(0.95, (-0.011863210116, 0.157415606072)), (0.90, (0.002337, 0.142047))],
)
def test_tango_gives_the_published_interval(confidence, expected):
    found = tango.difference(PUBLISHED, confidence)
    assert found.value == pytest.approx(0.07)
    assert (found.low, found.high) == pytest.approx(expected, abs=1e-6)


@given(COUNTS)
@settings(max_examples=50)
def test_tango_mirrors_and_holds_the_difference(counts):
    swapped = counts._replace(first_only=counts.second_only, second_only=counts.first_only)
    found, mirrored = tango.difference(counts, 0.9), tango.difference(swapped, 0.9)
    assert -1 <= found.low <= found.value <= found.high <= 1
    assert (mirrored.low, mirrored.high) == pytest.approx((-found.high, -found.low), abs=1e-6)
    if -0.999 < found.low < -0.001:
        assert norm.sf(tango.score(counts, found.low)) == pytest.approx(0.05, abs=1e-6)


def test_judges_that_never_differ_still_have_an_interval():
    found, squared = tango.difference(Discordant(0, 0, 50, 50)), 1.959963984540054**2
    assert (found.low, found.value) == (pytest.approx(-squared / (50 + squared)), 0)


def test_judges_that_always_differ_reach_the_end():
    assert tango.difference(Discordant(10, 0, 10, 10)).high == 1


@pytest.mark.parametrize("test", [mcnemar, tango.difference])
def test_several_answers_to_a_question_are_refused_with_the_test_to_use(test):
    found = test(Discordant(12, 5, 100, 50))
    assert found[0] is None and "the sign flip of question sums is the test" in message_of(
        found.why_none
    )
