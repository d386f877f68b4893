"""Errors of servers: which stop the run, which concern one item, and what the user is told."""

import pytest

from concord.judges.definition.model import parse, presets
from concord.judges.transport import key_source
from concord.judges.transport.endpoint_errors import (
    EndpointProblem,
    Fault,
    read,
    status,
    unreachable,
)
from concord.language.languages import shown
from tests.support.environment import environment

pytestmark = pytest.mark.usefixtures("api_key")

SENT = {
    "model": "m",
    "messages": [],
    "temperature": 0.1,
    "max_completion_tokens": 300,
    "response_format": {},
    "top_k": 5,
}

NO_AUTH = 'base_url = "https://x.example/v1"\nauth = "none"\n'


def judge(more="", endpoint='base_url = "https://x.example/v1"\n'):
    text = f'name = "j"\nmodel = "m"\nrubric = "r"\ntemperature = 0.1\n{more}[endpoint]\n{endpoint}'
    return parse(text, "mine.toml")


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        (Fault(401, "invalid_api_key"), ["refused the key in OPENAI_API_KEY", "Set the"]),
        (Fault(403, message="No access to m."), ["OPENAI_API_KEY (403)", "may use m there"]),
        (Fault(402), ["no credit left", "a run resumes where it stopped"]),
        (Fault(429, "insufficient_quota", "", "You exceeded your quota."), ["no credit left"]),
        (Fault(429, "billing_hard_limit_reached"), ["no credit left"]),
        (Fault(404, "model_not_found", message="No m."), ["no model “m”", "line 2 of mine.toml"]),
        (Fault(404, "DeploymentNotFound", message="No deployment."), ["no model “m”"]),
        (Fault(404, message='model "m" not found, try pulling it first'), ["no model “m”"]),
        (Fault(400, "model_not_found", "model"), ["no model “m”"]),
        (
            Fault(404, message="Not Found"),
            ["not a chat completions endpoint", "line 6 of mine.toml", "/v1"],
        ),
        (Fault(405), ["not a chat completions endpoint"]),
        (Fault(308, location="https://y.example/"), ["redirects to https://y.example/", "line 6"]),
        (Fault(400, "unsupported_value", "temperature"), ["Remove line 4 of mine.toml"]),
        (
            Fault(400, message="Unsupported parameter: 'temperature' is not supported with m."),
            ["m refuses `temperature`", "Remove line 4 of mine.toml (`temperature = 0.1`)"],
        ),
        (Fault(422, message="body.top_k: Extra inputs are not permitted"), ["refuses `top_k`"]),
        (Fault(400, "unsupported_parameter", "response_format"), ["Set output to tool or"]),
        (
            Fault(400, message="response_format json_schema is not supported"),
            ["Set output to tool or json_object or text", "`output` in mine.toml"],
        ),
        (Fault(400, "invalid_value", "response_format.json_schema.strict"), ["Set output to"]),
        (
            Fault(400, message="Unknown name max_completion_tokens; use max_tokens"),
            ["Set max_tokens_field to max_tokens under [endpoint]"],
        ),
        (Fault(400, "", "max_completion_tokens", "too large"), ["Lower or remove"]),
        (
            Fault(400, "unsupported_value", "messages[0].role", "'system' is not supported"),
            ["Set system_role to user under [endpoint]"],
        ),
        (
            Fault(
                500,
                "internal_server_error",
                message="[{'type': 'literal_error', 'loc': ('body', 'response_format', 'type'), "
                "'msg': \"Input should be 'text' or 'json_object'\", 'input': 'json_schema'}]",
            ),
            ["refuses `response_format`", "Set output to json_object or text: the key"],
        ),
        (
            Fault(422, message="response_format.type: Input should be 'text' or 'json_object'"),
            ["Set output to json_object or text: the key"],
        ),
    ],
)
def test_what_every_request_would_meet_stops_the_run_with_one_remedy(fault, told):
    with pytest.raises(EndpointProblem) as caught:
        status(judge(), fault, SENT)
    for words in told:
        assert words in str(caught.value)
    assert "sk-secret" not in str(caught.value)
    assert str(caught.value).endswith((".", ")"))


@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        (Fault(400, "context_length_exceeded", "messages"), "too_long"),
        (Fault(400, message="This model's maximum context length is 8192 tokens."), "too_long"),
        (Fault(400, message="the request exceeds the available context size"), "too_long"),
        (Fault(400, message="prompt is too long: 210000 tokens > 200000 maximum"), "too_long"),
        (Fault(400, message="Too many input tokens"), "too_long"),
        (Fault(413), "too_long"),
        (Fault(400, "content_filter"), "refused"),
        (Fault(400, message="triggered Azure OpenAI's content management policy"), "refused"),
        (Fault(403, message="Your input was flagged"), "refused"),
        (Fault(400, "invalid_prompt"), "refused"),
        (Fault(400, message="Something about this text is wrong"), "failed"),
        (Fault(400, "invalid_value", "messages[1].content", "invalid character"), "failed"),
        (Fault(408), "failed"),
        (Fault(409), "failed"),
        (Fault(429, "rate_limit_exceeded", message="Limit: 500 tokens per minute"), "failed"),
        (Fault(500), "failed"),
        (Fault(503, message="The model is overloaded"), "failed"),
    ],
)
def test_what_concerns_one_item_becomes_its_status(fault, expected):
    found, why = status(judge(), fault, SENT)
    assert found == expected
    assert str(fault.http_status) in why


@pytest.mark.parametrize(
    ("message", "english", "japanese"),
    [
        ("Busy.", "The server answered 500: Busy.", "サーバーの応答は500：Busy。"),
        ("", "The server answered 500.", "サーバーの応答は500。"),
    ],
)
def test_the_message_of_a_server_is_quoted_with_the_marks_of_the_readers_language(
    translate, message, english, japanese
):
    _, told = status(judge(), Fault(500, message=message), SENT)
    assert told == english
    answered = "The server answered {status}{quoted}"
    translate(
        "ja",
        {answered: "サーバーの応答は{status}{quoted}", ": {message}.": "：{message}。", ".": "。"},
    )
    assert shown(told, "ja") == japanese


def test_a_setting_that_was_not_sent_is_not_blamed():
    fault = Fault(400, message="Unsupported parameter: 'top_p'")
    assert status(judge(), fault, SENT)[0] == "failed"


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        (Fault(400, "unsupported_value", "temperature"), "(`temperature = 0.1`)"),
        (Fault(404, "model_not_found"), '(`model = "gpt-4"`)'),
    ],
)
def test_a_preset_is_changed_in_a_copy(fault, told):
    preset = presets()["gpt-4-zero-shot"]
    with pytest.raises(EndpointProblem) as caught:
        status(preset, fault, SENT | {"model": "gpt-4"})
    assert f"of a copy of judges/gpt_4_zero_shot.toml {told}" in str(caught.value)
    assert "`model" not in preset.with_overrides("gpt-9").place("model")


def test_a_server_that_wants_a_key_where_none_was_sent_says_so(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(EndpointProblem):
        status(judge(), Fault(401), SENT)
    with pytest.raises(EndpointProblem):
        status(judge(endpoint=NO_AUTH), Fault(401), SENT)


def test_a_refused_key_that_was_typed_is_typed_again():
    token = key_source.typed.set({"OPENAI_API_KEY": "sk-typed"})
    try:
        with pytest.raises(EndpointProblem):
            status(judge(), Fault(401), SENT)
    finally:
        key_source.typed.reset(token)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"error": {"message": "a", "code": "b", "param": "c"}}, Fault(400, "b", "c", "a")),
        ({"error": {"message": "a", "code": None, "type": "t"}}, Fault(400, "t", "", "a")),
        ({"error": {"message": "a", "code": 400, "type": "t"}}, Fault(400, "t", "", "a")),
        ({"error": "plain"}, Fault(400, message="plain")),
        ({"detail": [{"loc": ["top_k"]}]}, Fault(400, message="top_k")),
        (
            {"detail": [{"loc": ["body", "questions", "a", 0], "msg": "Field required"}]},
            Fault(400, message="questions.a.0: Field required"),
        ),
        ({"detail": ["a", {"loc": "b"}]}, Fault(400, message="['a', {'loc': 'b'}]")),
        ("text\n with\x00 lines", Fault(400, message="text with␀ lines")),
        (None, Fault(400)),
        ([], Fault(400, message="[]")),
        ({}, Fault(400)),
        ({"error": {}}, Fault(400)),
        ({"error": {"message": {"a": 1}}}, Fault(400, message="{'a': 1}")),
    ],
)
def test_an_error_is_read_whatever_shape_it_has(body, expected):
    assert read(400, body) == expected


def test_a_long_error_is_shortened_with_a_sign():
    assert len(read(500, "x" * 9999).message) == 300
    assert read(500, "x" * 9999).message.endswith("…")


def test_an_address_where_nothing_answers_names_the_line_or_variable(monkeypatch):
    local = judge(endpoint='base_url = "http://localhost:9/v1"\n')
    monkeypatch.setenv("HTTPS_PROXY", "http://p")
    told = unreachable(local, "the connection was refused")
    assert "HTTPS_PROXY" not in told
    far = judge(endpoint="")
    with environment({"OPENAI_BASE_URL": "https://y.example", "https_proxy": "p"}):
        told = unreachable(far, "x")
