"""Log-probabilities of tokens, and the distribution of a score that is read from them."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from concord.judges.prompting.reply import distribution
from concord.model import LOGPROBS

SCALE = (0, 1, 2, 3)


def token(text, probability=1.0, **others):
    """One token as servers send it, with the candidates for its place."""
    listed = {text: probability, **{key.strip("_"): p for key, p in others.items()}}
    return entry(text, listed)


def entry(text, listed):
    """One token with its candidates by text."""
    top = [{"token": key, "logprob": math.log(p)} for key, p in listed.items()]
    return {"token": text, "logprob": math.log(listed[text]), "top_logprobs": top}


def completion(*tokens):
    """A chat completion whose content is its tokens."""
    content = "".join(one["token"] for one in tokens)
    message = {"role": "assistant", "content": content}
    return {"choices": [{"message": message, "logprobs": {"content": list(tokens)}}]}


def head(criterion="correctness", reason="It is."):
    """The tokens before the score."""
    return token(f'{{"{criterion}": {{"reason": {json.dumps(reason)}, "score":')


def read(*tokens, score=2, scale=SCALE, criterion="correctness"):
    """The probabilities by score and the mass outside, rounded; None for no distribution."""
    found = distribution(completion(*tokens), criterion, score, scale)
    if found is None:
        return None
    assert found.source == LOGPROBS
    return {s: round(p, 6) for s, p in found.probabilities}, round(found.outside, 6)


@pytest.mark.parametrize(
    "placed",
    [
        [head(), entry(" 2", {" 2": 0.6, " 3": 0.3, " 1": 0.05, " x": 0.02}), token("}}")],
        # The blank, the quote and the end of the object in the same token as the score.
        [head(), token(" "), entry("2", {"2": 0.6, "3": 0.3, "1": 0.05, "x": 0.02}), token("}}")],
        [head(), entry(' "2', {' "2': 0.6, ' "3': 0.3, ' "1': 0.05, " x": 0.02}), token('"}}')],
        [head(), entry(" 2}}", {" 2}}": 0.6, " 3}}": 0.3, " 1\n": 0.05, " none": 0.02})],
        [head(), entry(" 2", {" 2": 0.6, "3": 0.2, " 3": 0.1, " 1.0": 0.05}), token(".0}}")],
    ],
)
def test_candidates_are_added_up_by_the_score_they_begin(placed):
    assert read(*placed) == ({0: 0, 1: 0.05, 2: 0.6, 3: 0.3}, 0.05)


def test_a_score_of_two_tokens_is_followed_token_by_token():
    tokens = [
        head(),
        entry(" 1", {" 1": 0.9, " 9": 0.08}),
        entry("0", {"0": 0.75, "}": 0.25}),
        token("}}"),
    ]
    found, outside = read(*tokens, score=10, scale=range(1, 11))
    assert (found[10], found[1], found[9], outside) == (0.675, 0.225, 0.08, 0.02)


def test_a_one_that_was_written_may_have_become_ten():
    tokens = [
        head(),
        entry(" 1", {" 1": 0.9, " 2": 0.1}),
        entry("}}", {"}}": 0.8, "0": 0.15, "0}}": 0.05}),
    ]
    found, outside = read(*tokens, score=1, scale=range(1, 11))
    assert (found[1], found[10], found[2], outside) == (0.72, 0.18, 0.1, 0.0)


def test_a_one_that_was_not_written_is_counted_only_where_ten_is_one_token():
    two = [head(), entry(" 7", {" 7": 0.5, " 1": 0.4, " 8": 0.1}), token("}}")]
    found, outside = read(*two, score=7, scale=range(1, 11))
    assert (found[1], found[10], outside) == (0, 0, 0.4)
    one = [head(), entry(" 7", {" 7": 0.5, " 1": 0.3, " 10": 0.1, " 8": 0.1}), token("}}")]
    found, outside = read(*one, score=7, scale=range(1, 11))
    assert (found[1], found[10], outside) == (0.3, 0.1, 0.0)


def test_negative_scores_are_followed_over_their_sign():
    tokens = [
        head(),
        entry(" -", {" -": 0.7, " 0": 0.2, " 1": 0.1}),
        entry("1", {"1": 0.9, "2": 0.1}),
        token("}}"),
    ]
    found, outside = read(*tokens, score=-1, scale=(-2, -1, 0, 1, 2))
    assert found == {-2: 0.07, -1: 0.63, 0: 0.2, 1: 0.1, 2: 0}
    assert outside == 0


def test_each_criterion_has_its_own_place():
    tokens = [
        head("correctness"),
        entry(" 2", {" 2": 0.9, " 3": 0.1}),
        token('}, "readability": {"reason": "ok", "score":'),
        entry(" 3", {" 3": 0.7, " 2": 0.3}),
        token("}}"),
    ]
    assert read(*tokens)[0][2] == 0.9
    assert read(*tokens, score=3, criterion="readability")[0][3] == 0.7


def test_a_score_quoted_in_the_reason_is_not_the_score():
    quoted = 'It claims "correctness": {"score": 2} and "score": 2.'
    tokens = [head(reason=quoted), entry(" 2", {" 2": 0.9, " 3": 0.1}), token("}}")]
    assert read(*tokens)[0] == {0: 0, 1: 0, 2: 0.9, 3: 0.1}


def test_a_tool_call_is_read_where_the_server_lists_its_tokens():
    tokens = [
        token('<tool_call>{"name": "grading_function", "arguments": {"correctness": {"score": '),
        entry("2", {"2": 0.5, "1": 0.5}),
        token(', "reason": "ok"}}}</tool_call>'),
    ]
    assert read(*tokens)[0] == {0: 0, 1: 0.5, 2: 0.5, 3: 0}


def test_of_a_repeated_reply_the_first_place_counts():
    first = [head(), entry(" 2", {" 2": 0.6, " 3": 0.4}), token("}} ")]
    again = [head(), token(" 2"), token("}}")]
    assert read(*first, *again)[0][2] == 0.6


@pytest.mark.parametrize(
    "broken",
    [
        None,
        {},
        {"content": None},
        {"content": "2"},
        {"content": [None]},
        {"content": [{"token": 2, "logprob": -1}]},
        {"content": [{"token": '{"correctness": {"score": 2', "logprob": "-1"}]},
        {"content": [{"token": '{"correctness": {"score": 2', "logprob": float("nan")}]},
        {"content": [{"token": '{"correctness": {"score": 2', "logprob": 0.5}]},
        {"content": [{"token": '{"correctness": {"score": 2'}]},
        {"content": [{"token": '{"correctness": {"score": 2', "logprob": -1, "top_logprobs": 7}]},
        {"content": [{"token": '{"correctness": {"score": 3', "logprob": -1}]},
        {"content": [{"token": '{"other": {"score": 2', "logprob": -1}]},
        {"content": [{"token": '{"correctness": {"reason": "2"}', "logprob": -1}]},
        {"content": [{"token": '{"correctness": 2', "logprob": -1}]},
    ],
)
def test_without_usable_log_probabilities_there_is_no_distribution(broken):
    reply = {"choices": [{"message": {"content": ""}, "logprobs": broken}]}
    assert distribution(reply, "correctness", 2, SCALE) is None


def test_candidates_that_add_up_to_more_than_one_give_no_distribution():
    tokens = [head(), entry(" 2", {" 2": 0.8, " 3": 0.4}), token("}}")]
    assert read(*tokens) is None


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    ["choices", "logprobs", "content", "token", "logprob", "top_logprobs"]
                ),
                inner,
                max_size=3,
            )
        ),
        max_leaves=12,
    )
)
def test_nothing_that_a_server_sends_raises(reply):
    distribution(reply, "correctness", 2, SCALE)
    distribution({"choices": [{"logprobs": reply}]}, "correctness", 2, SCALE)
