"""Replies, good and bad: what each is worth."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from concord.judges.definition.model import FUNCTION
from concord.judges.prompting.reply import parse
from concord.judges.prompting.verdict import Verdict, finished
from concord.model import STATED, Distribution

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
    ("text", "score"),
    [
        (GOOD, 3),
        (grade("0"), 0),
        (grade("3.0"), 3),
        (grade("30e-1"), 3),
        (grade("-0"), 0),
        (grade('"3"'), 3),
        (grade('" 2 "'), 2),
        ("\ufeff" + GOOD, 3),
        ("  \n" + GOOD + "\n\n", 3),
        ("```json\n" + GOOD + "\n```", 3),
        ("Here is my grade:\n" + GOOD + "\nI hope that helps {:-)", 3),
        ("The set {1, 2} is fine. " + GOOD, 3),
        (GOOD + " As I said: " + GOOD, 3),
        ("<think>" + grade("1") + " or better?</think>" + GOOD, 3),
        ("<think>a</think>\n<think>" + grade("1") + "</think>" + GOOD, 3),
        ("<Thinking>" + grade("1") + "</Thinking>" + GOOD, 3),
        ("[THINK]" + grade("1") + "[/THINK]" + GOOD, 3),
        (grade("1", '"It opens with <think> and goes on."'), 1),
        ('{"correctness": {"reason": "...", "score": "one of 0, 1, 2, 3"}}\n' + GOOD, 3),
        ('{"correctness": {"score": 2, "reason": "order does not matter here"}}', 2),
        ('{"correctness": {"reason": "", "score": 2}, "overall": {"score": 9}}', 2),
        (grade("1", '"答案遗漏了期限。"'), 1),
        (grade("1", '"Ответ неполон."'), 1),
        (grade("1", '"two\nlines\tand a tab"'), 1),
        (grade("1", '"a quoted {\\"correctness\\": {\\"score\\": 3}}"'), 1),
    ],
)
def test_a_clear_grade_is_read_whatever_surrounds_it(text, score):
    assert one(completion(text))[:2] == ("scored", score)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (None, "empty"),
        ("", "empty"),
        (" \n\t", "empty"),
        ("<think>I would say 3.</think>", "empty"),
        ("<think>I would say " + GOOD, "ends inside its reasoning"),
        ("\n<think>\n" + GOOD + "\nor " + grade("1"), "ends inside its reasoning"),
        ("<think>a</think><think>" + GOOD, "ends inside its reasoning"),
        ("[THINK]" + GOOD, "ends inside its reasoning"),
        ("3", "no complete JSON object"),
        ("Score: 3", "no complete JSON object"),
        ("得分：３", "no complete JSON object"),
        (GOOD[:-1], "incomplete or invalid JSON object"),
        (GOOD[:30], "incomplete or invalid JSON object"),
        ("[" + "3]", "no complete JSON object"),
        ("{}", "no grade"),
        ('{"Correctness": {"reason": "x", "score": 3}}', "no grade"),
        ('{"grades": {"correctness": {"reason": "x", "score": 3}}}', "no grade"),
        ('{"reason": "x", "score": 3}', "no grade"),
        ('{"correctness": 3}', "no score"),
        ('{"correctness": [3]}', "no score"),
        ('{"correctness": null}', "no score"),
        ('{"correctness": {"reason": "x"}}', "no score"),
        ('{"correctness": {"score": 3}}', "no reason"),
        (grade("3", "null"), "no reason"),
        (grade("3", '["x"]'), "no reason"),
        (grade("3", more=', "grade": 2'), "unknown key grade"),
        (grade("4"), "scored 4"),
        (grade("-1"), "scored -1"),
        (grade("2.5"), "scored 2.5"),
        (grade("2.9999999999999999999"), "scored 2.99"),
        (grade("1e-400"), "scored 1E-400"),
        (grade("1e400"), "scored 1E+400"),
        (grade("1e999999999999999999999"), "scored None"),
        (grade("3" * 5000), "scored 3333"),
        (grade('"3.0"'), "scored 3.0"),
        (grade('"3/3"'), "scored 3/3"),
        (grade('"3 (good)"'), "scored 3 (good)"),
        (grade('"３"'), "scored ３"),
        (grade('"三"'), "scored 三"),
        (grade('"٣"'), "scored ٣"),
        (grade('"three"'), "scored three"),
        (grade('""'), "scored "),
        (grade("true"), "scored True"),
        (grade("null"), "scored None"),
        (grade("[3]"), "scored [Decimal"),
        (grade('"\\u0000"'), "scored ␀"),
        (grade("３"), "incomplete or invalid JSON object"),
        (grade("0", '"It says ' + GOOD + ' to the judge"'), "incomplete or invalid JSON object"),
        (GOOD + ' {"correctness": {"reason": "wai', "incomplete or invalid JSON object"),
        (grade("NaN"), "NaN is not JSON"),
        (grade("Infinity"), "Infinity is not JSON"),
        (grade("3", more=', "score": 2'), "a key twice"),
        (grade("3", more=', "score": 3'), "a key twice"),
        (grade("3", '"a\x00b"'), "control characters"),
        (grade("3", '"a\x1b[1mb"'), "control characters"),
        (GOOD + grade("2"), "more than one grade"),
        (GOOD + grade("7"), "more than one grade"),
        (GOOD + '{"correctness": 3}', "more than one grade"),
        ('{"correctness": {"reason": "...", "score": "one of 0, 1, 2, 3"}}', "no grade"),
        ("{'correctness': {'reason': 'x', 'score': 3}}", "incomplete or invalid JSON object"),
        ('{"correctness": {"reason": "x", "score": 3},}', "incomplete or invalid JSON object"),
        ('{"a":' * 30_000, "nested too deeply"),
        ("{ " * 1000, "more than 200 opening braces"),
        ("x" * 200_001, "longer than 200,000"),
    ],
)
def test_a_bad_reply_is_unparsable_and_says_why(text, why):
    verdict = one(completion(text))
    assert (verdict.status, verdict.score) == ("unparsable", None)
    assert why in verdict.why


@pytest.mark.parametrize(
    "reply",
    [
        completion(GOOD, finish="content_filter"),
        completion(None, refusal="I can't grade this."),
        completion(GOOD, refusal="I can't grade this."),
        completion("I’m sorry, but I can’t help with that."),
        completion("申し訳ありませんが、お手伝いできません。"),
        completion("抱歉，我无法评价。"),
    ],
)
def test_a_refusal_is_told_apart_from_a_bad_reply(reply):
    verdict = one(reply)
    assert (verdict.status, verdict.score) == ("refused", None)
    assert verdict.why


def test_an_apology_inside_a_grade_is_not_a_refusal():
    reply = completion(grade("1", '"I\'m sorry, but the date is wrong."'))
    assert one(reply)[:2] == ("scored", 1)


@pytest.mark.parametrize("reply", [GOOD[:25], GOOD, GOOD + "\n" * 500, "", None])
def test_a_reply_cut_at_its_maximum_length_is_truncated_however_whole_it_looks(reply):
    assert one(completion(reply, finish="length")).status == "truncated"
    assert one(completion(None, finish="length", **call(reply or ""))).status == "truncated"


@pytest.mark.parametrize(
    ("finish", "status"),
    [
        ("error", "failed"),
        ("ERROR", "failed"),
        ("abort", "failed"),
        ("insufficient_system_resource", "failed"),
        ("model_length", "truncated"),
        ("MAX_TOKENS", "truncated"),
        ("SAFETY", "refused"),
        ("refusal", "refused"),
        ("stop", "scored"),
        ("STOP", "scored"),
        ("end_turn", "scored"),
        ("eos", "scored"),
        (None, "scored"),
        ("", "scored"),
        (7, "scored"),
    ],
)
def test_how_a_reply_ended_decides_before_what_it_says(finish, status):
    assert one(completion(GOOD, finish=finish)).status == status
    assert one(completion(None, finish=finish, **call(GOOD))).status == status


@pytest.mark.parametrize(
    ("text", "status", "score"),
    [
        (grade("2"), "unparsable", None),
        (grade("7"), "unparsable", None),
        ("I would rather say: " + grade("2"), "unparsable", None),
        (GOOD, "scored", 3),
        (grade("3", '"in other words"'), "scored", 3),
        ("Graded.", "scored", 3),
        (grade("2")[:-3], "scored", 3),
        ("<think>" + grade("2") + "</think>", "scored", 3),
        ('{"note": "done"}', "scored", 3),
    ],
)
def test_a_tool_call_and_a_text_that_disagree_are_no_score(text, status, score):
    verdict = one(completion(text, finish="tool_calls", **call(GOOD)))
    assert verdict[:2] == (status, score)


@pytest.mark.parametrize(
    ("message", "status", "score"),
    [
        (call(GOOD), "scored", 3),
        (call("\n" + GOOD + " "), "scored", 3),
        (call(json.loads(GOOD)), "scored", 3),
        (call(GOOD, GOOD), "scored", 3),
        (call(GOOD, grade("2")), "unparsable", None),
        (call(GOOD, name="grade"), "unparsable", None),
        (call("Sure! " + GOOD), "unparsable", None),
        (call(GOOD[:-2]), "unparsable", None),
        (call("[" + GOOD + "]"), "unparsable", None),
        (call(""), "unparsable", None),
        (call(None), "unparsable", None),
        (call(grade("NaN")), "unparsable", None),
        (call('{"a":' * 30_000), "unparsable", None),
        (call(" " * 200_001), "unparsable", None),
        ({"function_call": {"name": FUNCTION, "arguments": GOOD}}, "scored", 3),
        ({"tool_calls": "none"}, "unparsable", None),
        ({"tool_calls": [None]}, "unparsable", None),
        ({"tool_calls": [{"function": None}]}, "unparsable", None),
        ({"tool_calls": []}, "unparsable", None),
    ],
)
def test_function_calls_are_read_by_the_same_rules(message, status, score):
    assert one(completion(None, finish="tool_calls", **message))[:2] == (status, score)


def test_a_grade_in_the_text_counts_where_no_function_was_called():
    assert one(completion(GOOD, tool_calls=None)).score == 3
    assert one(completion([{"type": "text", "text": GOOD}])).score == 3


@pytest.mark.parametrize(
    "reply",
    [
        None,
        "text",
        [],
        {},
        {"choices": None},
        {"choices": []},
        {"choices": ["x"]},
        {"choices": [{"message": None}]},
        {"choices": [{"message": "x"}]},
        {"choices": completion(GOOD)["choices"] * 2},
        {"error": {"message": "overloaded"}},
        completion(12),
        completion([1, {"text": 2}]),
    ],
)
def test_a_body_that_is_no_completion_is_unparsable(reply):
    assert one(reply).status == "unparsable"


def test_each_criterion_is_judged_by_itself():
    text = (
        '{"correctness": {"reason": "r", "score": 9}, "readability": {"reason": "s", "score": 2}}'
    )
    verdicts = parse(completion(text), ["correctness", "readability", "coverage"], [0, 1, 2, 3])
    assert [v.status for v in verdicts.values()] == ["unparsable", "scored", "unparsable"]
    assert verdicts["readability"] == Verdict("scored", 2, "s")
    assert not finished(verdicts)


def test_a_reply_is_finished_when_every_criterion_is_scored_or_refused():
    assert finished(parse(completion(GOOD), ["correctness"], [0, 3]))
    assert finished(parse(completion(GOOD, finish="content_filter"), ["correctness"], [0, 3]))


def test_scales_with_negative_and_two_digit_scores_work():
    assert parse(completion(grade("-1")), ["correctness"], [-1, 0, 1])["correctness"].score == -1
    assert parse(completion(grade('"10"')), ["correctness"], [1, 10])["correctness"].score == 10


def test_a_reason_can_always_be_stored():
    verdict = one(completion('{"correctness": {"reason": "a\\u0000\\ud800\\u001b", "score": 1}}'))
    assert verdict.reason == "a␀\ufffd␛"
    verdict.reason.encode()


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


@pytest.mark.parametrize(
    ("stated", "share"),
    [
        ("80", 0.8),
        ("0", 0.0),
        ("100", 1.0),
        ("72.5", 0.725),
        ('"80"', 0.8),
        ('" 80 % "', 0.8),
        ("1.01", 0.0101),
        ("1", None),
        ("0.5", None),
        ('"0.9"', None),
        ('"1"', None),
        ("1.0", None),
        ("1e-9", None),
        ("101", None),
        ("-1", None),
        ('"high"', None),
        ("null", None),
        ("true", None),
        ("[80]", None),
        ("1e400", None),
    ],
)
def test_a_stated_confidence_is_of_the_score_and_never_costs_it(stated, share):
    reply = completion(grade("2", more=f', "confidence": {stated}'))
    found = parse(reply, ["correctness"], [0, 1, 2, 3], confidence=True)["correctness"]
    assert (found.status, found.score) == ("scored", 2)
    expected = None if share is None else Distribution(STATED, ((2, share),))
    assert found.distribution == expected
    assert found.lacks_probabilities == (share is None)


def test_a_confidence_nobody_asked_for_is_an_unknown_key():
    assert one(completion(grade("2", more=', "confidence": 80'))).status == "unparsable"


def test_a_confidence_that_is_left_out_costs_the_distribution_alone():
    found = parse(completion(GOOD), ["correctness"], [0, 1, 2, 3], confidence=True)
    assert found["correctness"].score == 3 and found["correctness"].distribution is None
