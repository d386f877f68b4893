"""Decisions over the network: Concord's client, and real clients of others at the same server."""

import asyncio

import openai
import pytest
import typesafe_sdk

from concord.judges.definition.model import parse
from concord.judges.definition.model import presets as model_presets
from concord.judges.prompting.request import PLACEHOLDER, request
from concord.judges.transport import key_source
from concord.judges.transport.client import Client
from concord.judges.transport.endpoint_errors import EndpointProblem, Fault, status, unreachable
from concord.language.languages import shown
from concord.rubrics.model import presets
from tests.support.endpoint import DecisionEndpoint
from tests.support.environment import environment
from tests.support.judges.decisions import decision_judge

pytestmark = pytest.mark.usefixtures("api_key")

RUBRIC = presets()["doc-qa-0-3"]


def asked(judge):
    async def one():
        async with Client(judge, max_retries=1) as client:
            return await client.ask(request(judge, RUBRIC, PLACEHOLDER))

    return asyncio.run(one())


def test_the_openai_client_reads_what_the_server_answers():
    judge = decision_judge()
    with DecisionEndpoint() as server, openai.OpenAI(base_url=server.url, api_key="k") as client:
        found = client.decisions.create(**request(judge, RUBRIC, PLACEHOLDER))
    assert [one.name for one in found.answers] == [c.name for c in RUBRIC.criteria]
    first = found.answers[0]
    assert [level.label for level in first.probabilities] == ["0", "1", "2", "3"]
    assert sum(level.probability for level in first.probabilities) == pytest.approx(1, abs=0.001)
    assert found.usage.input_tokens > 0


def test_the_openai_client_is_refused_what_the_format_does_not_have():
    sent = request(decision_judge(), RUBRIC, PLACEHOLDER) | {"questions": [{"type": "score"}]}
    with (
        DecisionEndpoint() as server,
        openai.OpenAI(base_url=server.url, api_key="k") as client,
        pytest.raises(openai.BadRequestError, match="Invalid questions"),
    ):
        client.decisions.create(**sent)


def test_the_typesafe_client_reads_what_the_server_answers():
    sent = request(decision_judge("systemone"), RUBRIC, PLACEHOLDER)
    with DecisionEndpoint(label_mass=0.9) as server:
        url = server.url.removesuffix("/v1")
        with typesafe_sdk.TypeSafeClient(api_key="k", base_url=url) as client:
            found = client.system_one(**sent)
    assert [*found.answers] == [c.name for c in RUBRIC.criteria]
    first = next(iter(found.answers.values()))
    assert sorted(first.probabilities) == [0, 1, 2, 3]
    assert first.score == pytest.approx(sum(n * p for n, p in first.probabilities.items()))


def test_the_typesafe_client_sends_what_concord_sends():
    sent = request(decision_judge("systemone"), RUBRIC, PLACEHOLDER)
    with DecisionEndpoint() as server:
        url = server.url.removesuffix("/v1")
        with typesafe_sdk.TypeSafeClient(api_key="k", base_url=url) as client:
            client.system_one(**sent)
        asked(decision_judge("systemone", server.url))
        theirs, ours = server.seen
    assert (theirs.path, theirs.body) == (ours.path, ours.body)


@pytest.mark.parametrize("dialect", ["openai", "systemone"])
def test_concord_s_client_posts_to_the_path_of_the_dialect_and_reads_the_usage(dialect):
    with DecisionEndpoint(key="sk-secret") as server:
        found = asked(decision_judge(dialect, server.url))
        (seen,) = server.seen
    assert seen.path == ("/v1/decisions" if dialect == "openai" else "/v1/systemone")
    assert (found.status, found.model) == ("", "m-2026")
    assert found.usage.input > 500 and found.usage.output == 3
    assert (found.usage.cached > 0) == (dialect == "openai")


def test_system_one_is_found_with_and_without_a_version_and_at_a_whole_address():
    with DecisionEndpoint() as server:
        for end in ("", "/v1", "/v1/systemone", "/v1/decisions"):
            url = server.url.removesuffix("/v1") + end
            assert asked(decision_judge("systemone", url)).status == ""
        paths = [one.path for one in server.seen]
    assert paths == ["/v1/systemone"] * 3 + ["/v1/decisions"]


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
    preset = model_presets()["gpt-4-zero-shot"]
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
