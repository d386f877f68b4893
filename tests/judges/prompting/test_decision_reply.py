"""Replies of decision models, good and bad: what each is worth."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from concord.judges.definition.model import READINGS
from concord.judges.prompting.decision_reply import score, verdicts_of
from concord.stats.probabilities import reading
from tests.support.judges.decisions import (
    NAMES,
    decision_judge,
    systemone_answer,
)

SCALE = (0, 1, 2, 3)


def read(dialect, found, scale=SCALE, more="", names=NAMES):
    return verdicts_of(decision_judge(dialect, more=more), found, names, scale)


@pytest.mark.parametrize("levels", [2, 4, 10])
def test_rounding_to_two_decimals_makes_no_reply_unparsable(levels):
    chance = random.Random(1)
    for _ in range(1000):
        parts = [chance.expovariate(1) for _ in range(levels)]
        given = [round(one / sum(parts), 2) for one in parts]
        answers = {"correctness": systemone_answer(given)}
        found = read("systemone", {"answers": answers}, range(levels), names=["correctness"])
        assert found["correctness"].status == "scored", given
    answers = {"correctness": systemone_answer([0.094] * 10)}
    found = read("systemone", {"answers": answers}, range(10), names=["correctness"])
    assert found["correctness"].status == "unparsable"


@given(
    st.lists(st.integers(0, 20), min_size=2, max_size=11).filter(any),
    st.sampled_from(READINGS),
    st.integers(-1, 1),
    st.integers(1, 3),
)
def test_the_score_is_that_of_the_report_s_rules(counts, rule, first, step):
    shares = [count / sum(counts) for count in counts]
    scale = tuple(range(first, first + step * len(shares), step))
    assert score(rule, shares, scale) == reading.read(rule, [shares], scale)[0]


_JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["answers", "type", "score", "name", "probabilities", "0", "tone"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@pytest.mark.parametrize("found", ["[" * 100_000, "9" * 5000, " " * 2_000_001])
def test_a_reply_of_any_size_is_unparsable(found):
    assert {v.status for v in read("openai", found).values()} == {"unparsable"}


@given(_JSON, st.sampled_from(["openai", "systemone"]))
def test_whatever_comes_is_a_verdict_for_each_criterion(found, dialect):
    verdicts = read(dialect, {"answers": found})
    assert list(verdicts) == NAMES
    assert {v.status for v in verdicts.values()} <= {"scored", "refused", "unparsable"}
