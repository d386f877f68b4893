"""Replies, good and bad: what each is worth."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from concord.judges.definition.model import FUNCTION
from concord.judges.prompting.reply import parse
from concord.judges.prompting.verdict import finished

GOOD = '{"correctness": {"reason": "It names the date.", "score": 3}}'


def completion(content=None, finish="stop", **message):
    """A chat completion with one choice."""
    message = {"role": "assistant", "content": content, **message}
    return {"choices": [{"index": 0, "finish_reason": finish, "message": message}]}


def call(*arguments, name=FUNCTION):
    """A message with one tool call for each of the arguments."""
    functions = [{"name": name, "arguments": text} for text in arguments]
    return {"tool_calls": [{"type": "function", "function": f} for f in functions]}


def grade(score, reason='"ok"', more=""):
    """The text of a reply with the score written as given."""
    return f'{{"correctness": {{"reason": {reason}, "score": {score}{more}}}}}'


def one(reply):
    """The verdict on the single criterion."""
    return parse(reply, ["correctness"], [0, 1, 2, 3])["correctness"]


@pytest.mark.parametrize(
    "text",
    [
        '{"a":' * 30_000,
        "{ " * 1000,
        "x" * 200_001,
        grade("3" * 5000),
        grade("1e999999999999999999"),
    ],
)
def test_a_reply_of_any_size_is_unparsable(text):
    assert one(completion(text)).status == "unparsable"
    assert one(completion(None, **call(text))).status == "unparsable"


def test_a_reply_is_finished_when_every_criterion_is_scored_or_refused():
    assert finished(parse(completion(GOOD), ["correctness"], [0, 3]))
    assert finished(parse(completion(GOOD, finish="content_filter"), ["correctness"], [0, 3]))


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "choices",
                    "message",
                    "content",
                    "tool_calls",
                    "function",
                    "name",
                    "arguments",
                    "refusal",
                    "finish_reason",
                    "correctness",
                    "score",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(json_values)
def test_nothing_a_server_sends_raises(value):
    assert one(value).status in {"unparsable", "refused", "truncated", "failed", "scored"}
    assert one({"choices": [{"message": value}]}).score is None
    assert one(completion(value)).score is None


@given(st.text(alphabet='{}[]":,0123correctnessscorereason \\\n\x00３', max_size=60))
def test_no_text_raises_and_every_score_is_on_the_scale(text):
    verdict = one(completion(text))
    assert verdict.score in (None, 0, 1, 2, 3)
    assert (verdict.score is None) == (verdict.status != "scored")
