"""The network seam: what is sent where, and what becomes of every kind of reply."""

import asyncio
import json
import logging
import socket
import time

import pytest

from concord.judges.definition.model import parse
from concord.judges.definition.prices import Usage
from concord.judges.prompting.reply import parse as parse_reply
from concord.judges.prompting.request import PLACEHOLDER, request
from concord.judges.transport import api_keys
from concord.judges.transport.client import Client
from concord.judges.transport.endpoint_errors import EndpointProblem
from concord.judges.transport.response import Unanswered
from concord.messages import Problem
from tests.support.endpoint import Endpoint, asked_for
from tests.support.judges.client_calls import (
    RUBRIC,
    SECRET,
    ask,
    completion,
    judge,
    mocked,
    replied,
)

NAMES = [criterion.name for criterion in RUBRIC.criteria]


def sent_headers(judge_, environ):
    """The headers of one request, by their names in small letters, and its address."""
    seen = []

    def handler(head):
        seen.append(head)
        return replied(completion())

    mocked(handler, judge_, environ)
    return {name.lower(): value for name, value in seen[0].headers}, seen[0].url


@pytest.mark.parametrize("mode", ["json_schema", "tool", "json_object", "text"])
def test_a_grade_comes_back_in_every_output_mode(mode):
    with Endpoint() as server:
        answer = ask(judge(server.url, f'output = "{mode}"\n'))
    verdicts = parse_reply(answer.completion, NAMES, RUBRIC.scale)
    assert [v.status for v in verdicts.values()] == ["scored"] * 3
    assert list(asked_for(server.seen[0].body)) == NAMES


def test_what_is_sent_is_the_request_and_nothing_else():
    one = judge(more="temperature = 0.1\nextra_body = { top_k = 5 }\n")
    with Endpoint() as server:
        here = one.with_overrides(base_url=server.url)
        ask(here)
    assert server.seen[0].body == request(here, RUBRIC, PLACEHOLDER)
    assert server.seen[0].path == "/v1/chat/completions"


def test_the_raw_reply_and_what_the_server_reports_are_kept():
    usage = {
        "prompt_tokens": 100,
        "completion_tokens": 20,
        "prompt_tokens_details": {"cached_tokens": 60, "cache_write_tokens": 30},
    }
    text = json.dumps(completion(model="m-2026", system_fingerprint="fp", usage=usage), indent=3)
    begun = time.perf_counter()
    answer = mocked(lambda _: replied(text))
    assert answer.raw == text
    assert (answer.status, answer.model, answer.system_fingerprint) == ("", "m-2026", "fp")
    assert (answer.finish_reason, answer.http_status, answer.retries) == ("stop", 200, 0)
    assert answer.usage == Usage(100, 20, 60, 30)
    assert 0 <= answer.latency <= time.perf_counter() - begun


@pytest.mark.parametrize(
    ("usage", "read"),
    [
        (None, None),
        ("many", None),
        ({}, None),
        ({"prompt_tokens": 5}, None),
        ({"prompt_tokens": -5, "completion_tokens": 1}, None),
        ({"prompt_tokens": 5.0, "completion_tokens": 1}, None),
        ({"prompt_tokens": True, "completion_tokens": 1}, None),
        ({"prompt_tokens": 5, "completion_tokens": 1}, Usage(5, 1)),
        (
            {
                "prompt_tokens": 5,
                "completion_tokens": 1,
                "prompt_tokens_details": {"cached_tokens": 6},
            },
            Usage(5, 1),
        ),
        (
            {"prompt_tokens": 5, "completion_tokens": 1, "prompt_tokens_details": None},
            Usage(5, 1),
        ),
    ],
)
def test_usage_is_read_only_where_it_makes_sense(usage, read):
    assert mocked(lambda _: replied(completion(usage=usage))).usage == read


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "not JSON"),
        (b"<html>busy</html>", "not JSON"),
        (b'{"choices": [', "not JSON"),
        (b'{"choices": "\xff"}', "not UTF-8"),
        (b"[" * 100_000, "not JSON"),
        (b"1" * 5000, "not JSON"),
        (b"[]", "not a JSON object"),
        (b'"text"', "not a JSON object"),
    ],
)
def test_a_reply_that_is_no_json_object_is_unparsable_and_kept(content, why):
    answer = mocked(lambda _: replied(content))
    assert (answer.status, answer.completion) == ("unparsable", None)
    assert why in answer.why
    assert answer.raw == content.decode(errors="replace")


def test_odd_values_beside_the_reply_do_not_hurt():
    odd = {"choices": [5], "model": 7, "system_fingerprint": "a\ud800"}
    answer = mocked(lambda _: replied(odd))
    assert (answer.model, answer.finish_reason) == (None, None)
    answer.system_fingerprint.encode()


def test_nothing_answers_at_the_first_call_stops_the_run_without_retries():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(EndpointProblem):
        ask(judge(f"http://127.0.0.1:{port}/v1"))


def test_a_server_that_goes_away_later_fails_items_only():
    with Endpoint() as server:

        async def go():
            one = judge(server.url)
            async with Client(one, max_retries=0) as client:
                first = await client.ask(request(one, RUBRIC, PLACEHOLDER))
                server.stop()
                second = await client.ask(request(one, RUBRIC, PLACEHOLDER))
                return first.status, second.status

        assert asyncio.run(go()) == ("", "failed")


def test_without_a_key_nothing_is_sent_and_the_variable_is_named():
    with pytest.raises(Problem):
        mocked(lambda _: pytest.fail("a request was sent"), environ={})
    other = judge(endpoint='api_key_env = "MY_KEY"\n')
    with pytest.raises(Problem, match="environment variable MY_KEY"):
        mocked(lambda _: pytest.fail("a request was sent"), other, {"OPENAI_API_KEY": SECRET})
    with pytest.raises(Problem, match="contains characters"):
        mocked(lambda _: pytest.fail("a request was sent"), environ={"OPENAI_API_KEY": "clé"})


def test_a_local_server_needs_no_key_and_gets_one_where_there_is_one():
    local = judge("http://localhost:1/v1")
    assert sent_headers(local, {})[0]["authorization"] == "Bearer none"
    given, _ = sent_headers(local, {"OPENAI_API_KEY": SECRET})
    assert given["authorization"] == f"Bearer {SECRET}"


@pytest.mark.parametrize(
    ("style", "header", "value"),
    [
        ("bearer", "authorization", f"Bearer {SECRET}"),
        ("api-key", "api-key", SECRET),
        ("x-api-key", "x-api-key", SECRET),
        ("basic", "authorization", "Basic c2stdmVyeS1zZWNyZXQ="),
        ("none", "authorization", "Bearer none"),
    ],
)
def test_the_key_is_sent_where_the_server_looks_for_it(style, header, value):
    sent, _ = sent_headers(judge(endpoint=f'auth = "{style}"\n'), {"OPENAI_API_KEY": SECRET})
    assert sent[header] == value
    assert ("authorization" in sent) == (header == "authorization")


def test_azure_is_asked_at_its_own_address_with_its_own_header():
    azure = parse(
        'name = "j"\nmodel = "gpt-4"\nrubric = "r"\n[endpoint]\n'
        'azure_endpoint = "https://me.openai.azure.com"\napi_version = "2024-10-21"\n'
        'api_key_env = "AZURE_KEY"\n',
        "azure.toml",
    )
    sent, url = sent_headers(azure, {"AZURE_KEY": SECRET})
    assert url == (
        "https://me.openai.azure.com/openai/deployments/gpt-4/chat/completions"
        "?api-version=2024-10-21"
    )
    assert sent["api-key"] == SECRET
    assert "authorization" not in sent


def test_extra_headers_are_sent_and_the_users_organisation_only_to_openai(monkeypatch):
    monkeypatch.setenv("OPENAI_ORG_ID", "org-1")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "proj-1")
    key = {"OPENAI_API_KEY": SECRET}
    elsewhere = sent_headers(judge(more='extra_headers = { "X-Title" = "c" }\n'), key)[0]
    assert elsewhere["x-title"] == "c"
    assert "org-1" not in elsewhere.values()
    assert "proj-1" not in elsewhere.values()
    assert "org-1" in sent_headers(judge("https://api.openai.com/v1"), key)[0].values()


def test_the_key_shows_up_nowhere(caplog):
    caplog.set_level(logging.DEBUG)
    with Endpoint(key="another") as server, pytest.raises(EndpointProblem) as caught:
        ask(judge(server.url), environ={"OPENAI_API_KEY": SECRET})
    assert "Incorrect API key provided: [key]" in str(caught.value)
    with Endpoint(faults={"500": 1}) as server:
        failed = ask(judge(server.url), environ={"OPENAI_API_KEY": SECRET}, max_retries=0)
    echo = mocked(lambda sent: replied(completion(SECRET)))
    assert "[key]" in echo.raw
    for text in (str(caught.value), repr(caught.value), repr(failed), repr(echo), caplog.text):
        assert SECRET not in text


@pytest.mark.parametrize("word", ["x", "none", "EMPTY", "dummy", "local", "ollama"])
def test_a_word_in_the_place_of_a_key_leaves_replies_as_they_are(word):
    said = f"Nothing is {word} here."
    with Endpoint(write=lambda body: said) as server:
        answer = ask(judge(server.url), environ={"OPENAI_API_KEY": word})
    assert said in answer.raw


@pytest.mark.parametrize("found", ["sk-1234", "a1b2c3", "abcdefghijklmnop"])
def test_what_may_be_a_key_is_no_word(found):
    assert not api_keys.is_word(found)


def test_a_request_that_is_cancelled_after_it_was_sent_is_unanswered():
    async def cancelled(url):
        async with Client(judge(url)) as client:
            asking = asyncio.create_task(client.ask(request(judge(url), RUBRIC, PLACEHOLDER)))
            await asyncio.sleep(0.2)
            asking.cancel()
            await asking

    with Endpoint(latency_s=2.0) as server, pytest.raises(Unanswered):
        asyncio.run(cancelled(server.url))
