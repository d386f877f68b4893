"""What an ask of a metric is sent as, and how strictly its reply is read."""

import json

import pytest

from concord.judges.definition.model import parse
from concord.judges.metric_runs import embedding, metric_request
from concord.judges.metric_runs.undefined import Undefined, Unreadable
from concord.metrics.prompts.ask import Ask, reply_form
from tests.support.fakejudge import completion


def judge(more=""):
    return parse(f'name = "mine"\nkind = "metric"\nmodel = "m"\n{more}\n', "mine.toml")


def read(reply):
    if "n" not in reply:
        raise Unreadable("There is no n.")
    return reply["n"]


ASK = Ask(
    "count",
    f"Count.\n\n{reply_form({'n': '...'})}",
    "One.",
    {"n": {"type": "integer"}},
    {"n": 1},
    read,
)


def said(text, finish="stop"):
    return metric_request.read(completion(text, finish).completion, ASK)


@pytest.mark.parametrize(
    ("output", "keys"),
    [
        ("json_schema", {"response_format"}),
        ("json_object", {"response_format"}),
        ("tool", {"tools", "tool_choice"}),
        ("text", set()),
    ],
)
def test_the_form_is_asked_for_in_the_judges_way_and_always_in_words(output, keys):
    body = metric_request.body(judge(f'output = "{output}"\ntemperature = 0'), ASK)
    assert body.keys() - {"model", "messages", "temperature"} == keys
    assert '{"n": "..."}' in body["messages"][0]["content"]
    if output == "json_schema":
        assert body["response_format"]["json_schema"]["schema"] == ASK.schema()


def test_a_server_without_a_system_role_gets_one_message():
    body = metric_request.body(judge('[endpoint]\nsystem_role = "user"'), ASK)
    assert [message["role"] for message in body["messages"]] == ["user"]


def test_the_object_may_stand_in_prose_and_its_numbers_are_plain():
    assert said('Here it is: {"n": 2.0} Good luck.') == 2
    value = said('{"n": [1, 0.5, {"deep": 3}]}')
    assert value == [1, 0.5, {"deep": 3}]
    assert [type(one) for one in value[:2]] == [int, float]


@pytest.mark.parametrize(
    ("text", "finish", "status", "why"),
    [
        ("I say two.", "stop", "unparsable", "no complete JSON object"),
        ('{"n": 1} {"n": 1}', "stop", "unparsable", "holds 2 objects, and not one"),
        ('{"m": 1}', "stop", "unparsable", "There is no n."),
        ('{"n": 1, "n": 2}', "stop", "unparsable", "a key twice"),
        ('{"n": 1}', "length", "truncated", "cut off"),
        ("I'm sorry, but I cannot.", "stop", "refused", "refused in words"),
        ('{"n": 1}', "content_filter", "refused", "content filter"),
    ],
)
def test_what_cannot_be_taken_is_no_value_and_says_why(text, finish, status, why):
    with pytest.raises(Undefined, match=why) as caught:
        said(text, finish)
    assert caught.value.status == status


def test_another_text_form_or_vote_is_another_ask():
    others = [ASK._replace(system="x"), ASK._replace(user="x"), ASK._replace(vote=2)]
    others += [ASK._replace(form={"n": {"type": "string"}})]
    assert len({metric_request.part(ask) for ask in [ASK, *others]}) == 5
    assert metric_request.part(ASK._replace(sample={"n": 7}, name="other")) == metric_request.part(
        ASK
    )


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (None, "does not hold 2 vectors"),
        ([[1.0]], "does not hold 2 vectors"),
        ([[1.0], None], "one embedding per text"),
        ([[1.0], [1.0, 2.0]], "different dimensions"),
        ([[1.0], [0.0]], "is a zero vector"),
        ([[1.0], [float("inf")]], "is a zero vector"),
        ([[1.0], [True]], "one embedding per text"),
    ],
)
def test_vectors_that_say_nothing_are_refused(data, why):
    listed = data and [{"index": n, "embedding": vector} for n, vector in enumerate(data)]
    with pytest.raises(Undefined, match=why):
        embedding.read({"data": listed}, 2, None)


def test_vectors_come_back_in_the_order_of_the_texts():
    data = [{"index": 1, "embedding": [2.0]}, {"index": 0, "embedding": [1.0]}]
    assert embedding.read({"data": data}, 2, 1) == [(1.0,), (2.0,)]
    with pytest.raises(Undefined, match="different dimensions"):
        embedding.read({"data": data}, 2, 3)


def test_a_complaint_about_the_embedding_model_names_its_own_line():
    text = '[embedding]\nmodel = "e"\nbase_url = "http://127.0.0.1:9"'
    asked = embedding.embedder(judge(text))
    assert asked.place("model") == 'line 5 of mine.toml (`model = "e"`)'
    assert (asked.url(), asked.model) == ("http://127.0.0.1:9", "e")
    assert embedding.embedder(judge()) is None
    assert json.loads(asked.body())["model"] == "e"
