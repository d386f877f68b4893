"""How fast an endpoint is asked: what it says is obeyed by every request of a run."""

import asyncio
import json
import logging
import os
import socket
import sys
import time
from contextvars import Context
from types import SimpleNamespace

import pytest
import typesafe_sdk

from concord.judges.definition import providers
from concord.judges.definition.model import parse
from concord.judges.definition.prices import Usage
from concord.judges.definition.providers import beginning
from concord.judges.prompting.request import PLACEHOLDER, request
from concord.judges.run import launch
from concord.judges.run.job import Options
from concord.judges.run.lock import RunLocation
from concord.judges.transport import api_keys, cross_encoder, rate_limit
from concord.judges.transport.api_keys import KEYS, NO_KEY
from concord.judges.transport.client import Client
from concord.judges.transport.connections import Reply
from concord.judges.transport.endpoint_errors import EndpointProblem
from concord.judges.transport.rate_limit import RateLimiter
from concord.judges.transport.response import Unanswered
from concord.messages import Problem
from concord.metrics.framework.statement import enriched
from concord.reports.metrics import metric_records
from concord.reports.metrics.vera_composite import encode
from concord.reports.workflow import runs
from concord.store import additions
from concord.store.database import open_store
from concord.team import members
from concord.team.members import BOUND
from concord.ui import sign_in
from concord.ui.server import security_middleware
from tests.support.endpoint import DecisionEndpoint, Endpoint, grade_by_hash
from tests.support.environment import environment
from tests.support.judges import client_calls
from tests.support.judges.client_calls import (
    RUBRIC,
    SECRET,
    Line,
    ask,
    completion,
    judge,
    mocked,
    replied,
)
from tests.support.judges.decisions import decision_judge
from tests.support.made_items import made_item
from tests.support.measured_sets import give
from tests.support.patience import PATIENT_S

NOW = "Thu, 01 Jan 1970 00:01:00 GMT"


def went(script, times, **options):
    """Seconds at which requests were let through, one after the other."""

    async def go():
        at, one = [], RateLimiter(**options)
        for number in range(times):
            at.append(await one.enter(100))
            script(one, number)
            one.leave()
        return at

    return client_calls.run(go())


def test_requests_per_minute_are_spread():
    at = went(lambda *_: None, 4, requests_per_minute=1200)
    assert at == pytest.approx([0, 0.05, 0.1, 0.15], abs=1e-9)


def test_tokens_per_minute_are_kept_as_guessed_and_put_right_by_what_was_used():
    at = went(lambda *_: None, 3, tokens_per_minute=120_000)
    assert at == pytest.approx([0, 0.05, 0.1], abs=1e-9)
    at = went(lambda one, _: one.used(100, 200), 3, tokens_per_minute=120_000)
    assert at == pytest.approx([0, 0.1, 0.2], abs=1e-9)
    at = went(lambda one, _: one.used(100, 50), 3, tokens_per_minute=120_000)
    assert at == pytest.approx([0, 0.025, 0.05], abs=1e-9)


def test_what_was_not_asked_in_time_is_not_made_up_for():
    async def go():
        one = RateLimiter(requests_per_minute=60)
        at = [await one.enter(1)]
        await asyncio.sleep(10)
        return [*at, await one.enter(1), await one.enter(1)]

    assert client_calls.run(go()) == pytest.approx([0, 10, 11], abs=1e-9)


def in_flight(ones):
    """How many of several requests a pace has let through, given all the time they need."""

    async def go():
        one = RateLimiter()
        tasks = [asyncio.create_task(one.enter(1)) for _ in range(8)]
        (sent, *_) = await asyncio.gather(*tasks)
        one.slow_down(sent)
        one.slow_down(sent)  # of the same crowd: it says nothing new
        for _ in range(8):
            one.leave()
        for seconds in ones:
            one.note_latency(seconds)
        more = [asyncio.create_task(one.enter(1)) for _ in range(20)]
        done, waiting = await asyncio.wait(more, timeout=3600)
        for task in waiting:
            task.cancel()
        return len(done)

    return client_calls.run(go())


def test_too_many_requests_are_halved_once_and_grow_while_replies_come_as_fast():
    assert in_flight([]) == 4
    assert in_flight([0.1] * 5) == 5
    assert in_flight([0.1] + [1.0] * 5) == 4  # slower than they were


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "2"}, 2),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "300", "retry-after": "2"}, 0.3),
        ({"retry-after": "Thu, 01 Jan 1970 00:01:40 GMT", "date": NOW}, 40),
        ({"retry-after": "Thu, 01 Jan 1970 00:00:40 GMT", "date": NOW}, 0),
        ({"retry-after": "Thu, 01 Jan 1970 00:01:40 GMT"}, 30),
        ({"retry-after": "Thu, 01 Jan 1970 00:01:40 GMT", "date": "today"}, 30),
        ({"retry-after": "Thu, 01 Jan 1970 00:00:40 GMT"}, 0),
        ({"retry-after": "1e999"}, None),
        ({"retry-after": ""}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "nan"}, None),
    ],
)
def test_the_wait_a_server_asks_for_is_read(headers, seconds):
    assert rate_limit.retry_after(headers, now=70.0) == seconds


@pytest.mark.parametrize(
    ("rest", "reset", "seconds"),
    [
        ("0", "6m0s", 360),
        ("0", "120ms", 0.12),
        ("0", "1h2m3.5s", 3723.5),
        ("0", "17", 17),
        ("0", "later", 0),
        ("0", "", 0),
        ("1", "6m0s", 0),
        ("", "6m0s", 0),
    ],
)
@pytest.mark.parametrize("kind", ["requests", "tokens"])
def test_a_rate_limit_that_is_used_up_is_read(rest, reset, seconds, kind):
    names = f"x-ratelimit-remaining-{kind}", f"x-ratelimit-reset-{kind}"
    assert rate_limit.used_up(dict(zip(names, (rest, reset), strict=True))) == pytest.approx(
        seconds
    )


def test_one_refused_request_makes_all_the_others_wait(monkeypatch):
    refused, held, graded, hold = [], asyncio.Event(), [], RateLimiter.hold

    def noted(one, seconds):
        refused.append(time.monotonic())
        hold(one, seconds)
        held.set()

    def grade(body):
        graded.append(time.monotonic())
        return grade_by_hash(body)

    monkeypatch.setattr(RateLimiter, "hold", noted)
    with Endpoint(script=["429"], retry_after_s=0.4, grade=grade) as server:
        here = judge(server.url)

        async def go():
            body = request(here, RUBRIC, PLACEHOLDER)
            async with Client(here) as client:
                first = asyncio.create_task(client.ask(body))
                await asyncio.wait_for(held.wait(), 60)
                return await client.ask(body), await first

        second, first = asyncio.run(go())
    assert (first.status, first.retries, second.status, second.retries) == ("", 1, "", 0)
    assert [seen.status for seen in server.seen] == [429, 200, 200]
    assert len(refused) == 1 and min(graded) >= refused[0] + 0.4


def test_a_long_answer_is_cut_to_the_very_last_piece_and_no_statement_is(encoder):
    statements = ["The score of faithfulness is 0.7.", "The score of precision is 0.2."]
    made = enriched(encoder, "Where is tea grown?", "unaffable tea " * 400, statements)
    taken = encoder.count("Where is tea grown?") + encoder.count(made.text) + encoder.special
    assert made.cut and taken == encoder.limit
    assert made.text.endswith(" ".join(statements))
    whole = encoder._tokenizer("Where is tea grown?", made.text)["input_ids"]
    assert len(whole) == encoder.limit  # what the model is given, with its own marks


def test_a_pair_that_would_be_cut_in_silence_is_refused(encoder):
    with pytest.raises(ValueError, match="longer than the cross-encoder takes"):
        encoder.score([("Where?", "tea " * 600)])


def test_answers_are_scored_from_the_store_and_once_only(store, encoder):
    made = [
        made_item(1, answer="Tea is grown in Assam."),
        made_item(2, answer="tea " * 600),
        made_item(3, answer="茶はアッサムで育つ。"),
    ]
    sheet = additions.add(store, "tea", made, "t.csv", "1" * 64, {})
    give(store, sheet.id, "vera_faithfulness", [1, 0, 1])
    done = encode(store, sheet, encoder)
    assert (done["scored"], done["there"], done["too_long"]) == (3, 0, 0)
    assert encode(store, sheet, encoder)["there"] == 3
    records = [r for r in metric_records.read(store, sheet).records if r.metric == "vera_composite"]
    assert [len(record.flags) for record in records] == [0, 1, 1]


def test_a_folder_that_is_not_there_is_not_looked_for_on_the_network(tmp_path):
    with pytest.raises(Problem):
        cross_encoder.load(str(tmp_path / "none"))


def test_a_huge_reply_is_given_up_early_whether_announced_or_not():
    with Endpoint(faults={"huge": 1}) as server:
        answer = ask(judge(server.url))
        assert (answer.status, answer.raw) == ("unparsable", "")
        assert len(server.seen) == 1
    with Endpoint() as server:
        announced = ask(judge(server.url), reply_bytes=100)
    assert (announced.status, announced.raw) == ("unparsable", "")


def test_an_unknown_host_stops_the_run(monkeypatch):
    def unknown(*_, **__):
        raise socket.gaierror("no such host")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    with pytest.raises(EndpointProblem, match="line 5 of mine"):
        ask(judge(), environ={"OPENAI_API_KEY": SECRET})


def test_proxies_of_the_environment_are_not_used(monkeypatch):
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "HTTPS_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with Endpoint() as server:
        assert ask(judge(server.url)).status == ""


def test_a_proxy_named_in_the_judge_file_is_used():
    with Endpoint() as proxy:
        one = judge("http://model.example/v1", endpoint=f'proxy = "{proxy.url[:-3]}"\n')
        ask(one, environ={"OPENAI_API_KEY": SECRET})
    assert proxy.seen[0].headers["Host"] == "model.example"


AWS = {"AWS_SECRET_ACCESS_KEY": "aws-very-secret-key", "OPENAI_API_KEY": "sk-very-secret-key"}
SIGNED_IN = AWS | {BOUND: "1"}


def judge_of_api_keys(url, endpoint="", more=""):
    head = f'name = "j"\nmodel = "m"\nrubric = "doc-qa-0-3"\n{more}[endpoint]\n'
    return parse(f'{head}base_url = "{url}"\n{endpoint}', "mine.toml")


def key(judge_, environ):
    with environment(environ):
        return api_keys.key(judge_)


def of(variable):
    return f'api_key_env = "{variable}"\n'


EVIL, OPENAI = "https://evil.example/v1", "https://api.openai.com/v1"


@pytest.mark.parametrize(
    ("url", "endpoint"),
    [
        (EVIL, of("AWS_SECRET_ACCESS_KEY")),
        (OPENAI, of("AWS_SECRET_ACCESS_KEY")),
        (EVIL, ""),
        (EVIL, 'auth = "basic"\n'),
        (EVIL, 'auth = "x-api-key"\n'),
        ("http://api.openai.com/v1", ""),
        ("https://api.openai.com:8443/v1", ""),
        ("https://api.openai.com.evil.example/v1", ""),
        ("https://evil.example/api.openai.com", ""),
        ("https://evil.example\\\\.api.openai.com/v1", ""),
    ],
)
def test_a_lead_sends_no_variable_to_a_server_that_nobody_named_for_it(url, endpoint):
    with environment(SIGNED_IN), pytest.raises(Problem):
        Client(judge_of_api_keys(url, endpoint))
    assert (
        key(judge_of_api_keys(url, endpoint), AWS) in AWS.values()
    )  # one annotator, and the command line


def test_azure_is_bound_as_well():
    text = (
        '[endpoint]\nazure_endpoint = "https://evil.openai.azure.com"\napi_version = "2025-01-01"\n'
    )
    azure = parse(f'name = "j"\nmodel = "m"\nrubric = "doc-qa-0-3"\n{text}', "mine.toml")
    with pytest.raises(Problem):
        key(azure, SIGNED_IN)
    named = SIGNED_IN | {KEYS: "OPENAI_API_KEY=evil.openai.azure.com"}
    assert key(azure, named) == AWS["OPENAI_API_KEY"]


def test_without_a_list_the_servers_that_concord_knows_keep_their_own_variables():
    for known in providers.known().values():
        begun = parse(beginning(known), "begun.toml")
        variable = begun.endpoint.api_key_env
        environ = {variable: "a-key-of-its-own-1", BOUND: "1"}
        if providers.YOURS in begun.url():  # anybody can have such a name there
            with pytest.raises(Problem, match="CONCORD_KEYS"):
                key(begun, environ)
        else:
            assert key(begun, environ) in ("a-key-of-its-own-1", NO_KEY)
    gateway = {"OPENAI_BASE_URL": "https://gateway.example:8443/v1", **SIGNED_IN}
    assert (
        key(judge_of_api_keys("https://gateway.example:8443/v2"), gateway) == AWS["OPENAI_API_KEY"]
    )
    with pytest.raises(Problem):
        key(judge_of_api_keys("https://gateway.example/v1"), gateway)


def test_the_operators_list_is_the_whole_list():
    listed = SIGNED_IN | {KEYS: "AWS_SECRET_ACCESS_KEY=aws.example, X=http://gpu.lan:8000/v1"}
    assert key(judge_of_api_keys("https://AWS.example/v1", of("AWS_SECRET_ACCESS_KEY")), listed)
    assert key(judge_of_api_keys("http://gpu.lan:8000/v2", of("X")), listed | {"X": "key"}) == "key"
    for url, variable in ((OPENAI, "OPENAI_API_KEY"), ("http://gpu.lan:8001/v1", "X")):
        with pytest.raises(Problem):
            key(judge_of_api_keys(url, of(variable)), listed | {"X": "key"})
    for wrong in ("OPENAI_API_KEY", "=", "A=ftp://host", "A=https://h:port"):
        with pytest.raises(Problem):
            key(judge_of_api_keys(OPENAI), SIGNED_IN | {KEYS: wrong})


def test_a_server_on_this_machine_is_asked_without_the_key_of_another():
    assert key(judge_of_api_keys("http://localhost:8000/v1"), SIGNED_IN) == NO_KEY
    assert key(judge_of_api_keys("http://localhost:8000/v1"), AWS) == AWS["OPENAI_API_KEY"]


def test_neither_a_proxy_nor_a_header_leads_a_key_away():
    listed = SIGNED_IN | {KEYS: "OPENAI_API_KEY=http://gpu.lan, OPENAI_API_KEY=api.openai.com"}
    proxy = 'proxy = "http://evil.example:3128"\n'
    with pytest.raises(Problem):
        key(judge_of_api_keys("http://gpu.lan/v1", proxy), listed)
    assert key(judge_of_api_keys(OPENAI, proxy), listed)  # sees TLS only
    for header in ("hOsT", "X-Forwarded-Host"):
        with pytest.raises(Problem):
            key(
                judge_of_api_keys(
                    OPENAI, more=f'extra_headers = {{ {header} = "evil.example" }}\n'
                ),
                listed,
            )


def test_the_screen_says_why_no_key_goes_and_not_whether_there_is_one():
    evil = judge_of_api_keys(EVIL, of("AWS_SECRET_ACCESS_KEY"))
    with environment({BOUND: "1"}):
        told = runs.key_sentence(evil)
    with environment(SIGNED_IN):
        assert runs.key_sentence(evil) == told


def test_keys_are_bound_from_the_first_member_on_and_in_what_a_lead_starts(db, monkeypatch):
    monkeypatch.setenv("CONCORD_DB", str(db))
    monkeypatch.setattr(security_middleware, "_active", True)
    sign_in.person()
    assert not os.environ[BOUND]
    with open_store(db) as store:
        lead = members.add(store, "Lea", "lead", "test")
        sheet = additions.add(store, "one", [made_item(1)], "o.csv", "1" * 64, {})
    monkeypatch.setattr(sign_in, "_by_link", lambda _: lead.who())
    sign_in.person()
    assert os.environ[BOUND]
    monkeypatch.setenv(BOUND, "")
    told = db.parent / "told.txt"
    code = f"import os; open({str(told)!r}, 'w').write(os.environ[{BOUND!r}])"
    place = RunLocation("j.lock", "j.log", {"sheet_id": sheet.id}, {"sheet_id": sheet.id})
    with open_store(db, lead.who()) as store:
        command = [sys.executable, "-c", code]
        plan = SimpleNamespace(place=lambda _: place, command=lambda *_: command)
        launch.start(store, plan, "mine", Options())
    deadline = time.monotonic() + PATIENT_S
    while not (told.exists() and told.read_text()) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert told.read_text() == "1" and api_keys.BOUND == BOUND


TYPED = "sk-typed-in-a-session"


def in_session(call, *args):
    """Return what a call gives in a session where the key of OpenAI is typed."""
    session = Context()
    session.run(api_keys.typed.set, {"OPENAI_API_KEY": TYPED})
    return session.run(call, *args)


def test_a_typed_key_precedes_that_of_the_environment_and_stays_in_its_session():
    assert in_session(key, judge_of_api_keys(OPENAI), AWS) == TYPED
    assert key(judge_of_api_keys(OPENAI), AWS) == AWS["OPENAI_API_KEY"]
    assert TYPED not in in_session(runs.key_sentence, judge_of_api_keys(OPENAI))


def test_where_people_sign_in_a_typed_key_goes_to_no_other_server():
    with pytest.raises(Problem):
        in_session(key, judge_of_api_keys(EVIL), SIGNED_IN)
    with environment(SIGNED_IN):
        assert not api_keys.may_be_typed(judge_of_api_keys(EVIL))
        assert api_keys.may_be_typed(judge_of_api_keys(OPENAI))


@pytest.mark.parametrize("name", ["PATH", "LD_PRELOAD", "PYTHONPATH", "KEY", "_KEY_FILE"])
def test_nothing_but_a_key_is_typed_into_the_environment_of_a_run(name):
    assert not api_keys.may_be_typed(judge_of_api_keys(EVIL, of(name)))
    assert api_keys.may_be_typed(judge_of_api_keys(EVIL, of("MY_GPU_KEY")))


def sent_headers(judge_, environ):
    """The headers of one request, by their names in small letters, and its address."""
    seen = []

    def handler(head):
        seen.append(head)
        return replied(completion())

    mocked(handler, judge_, environ)
    return {name.lower(): value for name, value in seen[0].headers.items()}, seen[0].url


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
    "content",
    [
        *(b"", b"<html>busy</html>", b'{"choices": [', b'{"choices": "\xff"}', b"[" * 100_000),
        *(b"1" * 5000, b"[]", b'"text"'),
    ],
    ids=lambda content: repr(content[:9]),
)
def test_a_reply_that_is_no_json_object_is_unparsable_and_kept(content):
    answer = mocked(lambda _: replied(content))
    assert (answer.status, answer.completion) == ("unparsable", None)
    assert answer.raw == content.decode(errors="replace")


def test_without_a_key_nothing_is_sent_and_the_variable_is_named():
    with pytest.raises(Problem):
        mocked(lambda _: pytest.fail("a request was sent"), environ={})
    other = judge(endpoint='api_key_env = "MY_KEY"\n')
    with pytest.raises(Problem, match="MY_KEY"):
        mocked(lambda _: pytest.fail("a request was sent"), other, {"OPENAI_API_KEY": SECRET})
    with pytest.raises(Problem, match="OPENAI_API_KEY"):
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


def test_a_request_that_is_cancelled_after_it_was_sent_is_unanswered():
    async def cancelled(url):
        async with Client(judge(url)) as client:
            asking = asyncio.create_task(client.ask(request(judge(url), RUBRIC, PLACEHOLDER)))
            await asyncio.sleep(0.2)
            asking.cancel()
            await asking

    with Endpoint(latency_s=2.0) as server, pytest.raises(Unanswered):
        asyncio.run(cancelled(server.url))


def test_a_reply_that_trickles_is_given_up_in_time():
    with Endpoint(faults={"trickle": 1}) as server:
        answer = ask(judge(server.url, endpoint="timeout_s = 0.2\n"), max_retries=0)
    assert (answer.status, answer.completion) == ("failed", None)


@pytest.mark.parametrize(("slow", "status"), [(0, ""), (1, ""), (2, "failed")])
def test_a_reply_that_takes_too_long_is_tried_again_as_often_as_allowed(slow, status):
    """At 0, 10.5 and 21 s or so; each attempt is given 10 s for the whole of its reply."""
    sent = []

    async def handler(_):
        sent.append(asyncio.get_running_loop().time())
        if len(sent) <= slow:
            await asyncio.sleep(3600)
        return replied(completion())

    answer = mocked(
        handler, judge(endpoint="timeout_s = 10\n"), max_retries=1, run=client_calls.run
    )
    assert (answer.status, len(sent)) == (status, min(slow, 1) + 1)
    if slow:
        # Half a second before the second attempt, less at most a quarter.
        assert 10.375 <= sent[1] - sent[0] <= 10.5 + 1e-6


@pytest.mark.parametrize(
    ("asked", "most"),
    [
        *((asked, 130) for asked in (None, "", "-5", "soon", "nan", "inf", "1e999", "0", "1")),
        ("60", 190),
        ("120", 250),
        ("Thu, 01 Jan 1970 00:00:00 GMT", 130),
    ],
)
def test_a_server_that_only_limits_holds_three_items_up_no_longer_than_one(asked, most):
    headers = {} if asked is None else {"retry-after": asked}
    here = judge()

    async def go():
        line = Line(lambda _: Reply(429, headers, b"{}"))
        async with Client(here, connections=line) as client:
            body = request(here, RUBRIC, PLACEHOLDER)
            answers = await asyncio.gather(*(client.ask(body) for _ in range(3)))
        return asyncio.get_running_loop().time(), answers

    with environment({"OPENAI_API_KEY": SECRET}):
        seconds, answers = client_calls.run(go())
    assert [answer.status for answer in answers] == ["failed"] * 3
    assert seconds < most


def test_a_success_renews_the_patience_with_a_server_that_limits():
    sent = []

    async def handler(_):
        sent.append(1)
        return replied(completion()) if len(sent) % 15 == 0 else Reply(429, {}, b"{}")

    answer = mocked(handler, times=4, run=client_calls.run)
    assert (answer.status, len(sent)) == ("", 60)


def asked(decider):
    async def one():
        async with Client(decider, max_retries=1) as client:
            return await client.ask(request(decider, RUBRIC, PLACEHOLDER))

    return asyncio.run(one())


@pytest.mark.usefixtures("api_key")
def test_the_typesafe_client_sends_what_concord_sends():
    sent = request(decision_judge("systemone"), RUBRIC, PLACEHOLDER)
    with DecisionEndpoint() as server:
        url = server.url.removesuffix("/v1")
        with typesafe_sdk.TypeSafeClient(api_key="k", base_url=url) as client:
            client.system_one(**sent)
        asked(decision_judge("systemone", server.url))
        theirs, ours = server.seen
    assert (theirs.path, theirs.body) == (ours.path, ours.body)


@pytest.mark.usefixtures("api_key")
@pytest.mark.parametrize("dialect", ["openai", "systemone"])
def test_concord_s_client_posts_to_the_path_of_the_dialect_and_reads_the_usage(dialect):
    with DecisionEndpoint(key="sk-secret") as server:
        found = asked(decision_judge(dialect, server.url))
        (seen,) = server.seen
    assert seen.path == ("/v1/decisions" if dialect == "openai" else "/v1/systemone")
    assert (found.status, found.model) == ("", "m-2026")
    assert found.usage.input > 500 and found.usage.output == 3
    assert (found.usage.cached > 0) == (dialect == "openai")
