"""Log-probabilities of tokens, and the distribution of a score that is read from them."""

import math

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


def read(*tokens, score=2, scale=SCALE, criterion="correctness"):
    """The probabilities by score and the mass outside, rounded; None for no distribution."""
    found = distribution(completion(*tokens), criterion, score, scale)
    if found is None:
        return None
    assert found.source == LOGPROBS
    return {s: round(p, 6) for s, p in found.probabilities}, round(found.outside, 6)


def test_a_tool_call_is_read_where_the_server_lists_its_tokens():
    tokens = [
        token('<tool_call>{"name": "grading_function", "arguments": {"correctness": {"score": '),
        entry("2", {"2": 0.5, "1": 0.5}),
        token(', "reason": "ok"}}}</tool_call>'),
    ]
    assert read(*tokens)[0] == {0: 0, 1: 0.5, 2: 0.5, 3: 0}


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
