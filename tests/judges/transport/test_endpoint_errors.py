"""Errors of servers: which stop the run, which concern one item, and what the user is told."""

import pytest

from concord.judges.definition.model import parse, presets
from concord.judges.transport import key_source
from concord.judges.transport.endpoint_errors import (
    EndpointProblem,
    Fault,
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


def test_an_address_where_nothing_answers_names_the_line_or_variable(monkeypatch):
    local = judge(endpoint='base_url = "http://localhost:9/v1"\n')
    monkeypatch.setenv("HTTPS_PROXY", "http://p")
    told = unreachable(local, "the connection was refused")
    assert "HTTPS_PROXY" not in told
    far = judge(endpoint="")
    with environment({"OPENAI_BASE_URL": "https://y.example", "https_proxy": "p"}):
        told = unreachable(far, "x")
