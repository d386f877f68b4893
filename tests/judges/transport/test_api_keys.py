"""Where people sign in, a key of the server's goes to the servers that its operator named."""

import os
import sys
import time
from contextvars import Context
from types import SimpleNamespace

import pytest

from concord.judges.definition import providers
from concord.judges.definition.model import parse
from concord.judges.definition.toml import beginning
from concord.judges.running import launch
from concord.judges.running.job import Options
from concord.judges.running.run_lock import RunLocation
from concord.judges.transport import api_keys, key_source
from concord.judges.transport.api_keys import KEYS, NO_KEY
from concord.judges.transport.client import Client
from concord.messages import Problem
from concord.reports.workflow import run_offer
from concord.store import additions
from concord.store.database import open_store
from concord.team import members
from concord.team.members import BOUND
from concord.ui import sign_in
from concord.ui.server import security_middleware
from tests.support.environment import environment
from tests.support.judges.client_calls import Line, ask
from tests.support.made_items import made_item
from tests.support.patience import PATIENT_S

AWS = {"AWS_SECRET_ACCESS_KEY": "aws-very-secret-key", "OPENAI_API_KEY": "sk-very-secret-key"}
SIGNED_IN = AWS | {BOUND: "1"}


def judge(url, endpoint="", more=""):
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
        Client(judge(url, endpoint))
    assert key(judge(url, endpoint), AWS) in AWS.values()  # one annotator, and the command line


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
    assert key(judge("https://gateway.example:8443/v2"), gateway) == AWS["OPENAI_API_KEY"]
    with pytest.raises(Problem):
        key(judge("https://gateway.example/v1"), gateway)


def test_the_operators_list_is_the_whole_list():
    listed = SIGNED_IN | {KEYS: "AWS_SECRET_ACCESS_KEY=aws.example, X=http://gpu.lan:8000/v1"}
    assert key(judge("https://AWS.example/v1", of("AWS_SECRET_ACCESS_KEY")), listed)
    assert key(judge("http://gpu.lan:8000/v2", of("X")), listed | {"X": "key"}) == "key"
    for url, variable in ((OPENAI, "OPENAI_API_KEY"), ("http://gpu.lan:8001/v1", "X")):
        with pytest.raises(Problem):
            key(judge(url, of(variable)), listed | {"X": "key"})
    for wrong in ("OPENAI_API_KEY", "=", "A=ftp://host", "A=https://h:port"):
        with pytest.raises(Problem):
            key(judge(OPENAI), SIGNED_IN | {KEYS: wrong})


def test_a_server_on_this_machine_is_asked_without_the_key_of_another():
    assert key(judge("http://localhost:8000/v1"), SIGNED_IN) == NO_KEY
    assert key(judge("http://localhost:8000/v1"), AWS) == AWS["OPENAI_API_KEY"]


def test_neither_a_proxy_nor_a_header_leads_a_key_away():
    listed = SIGNED_IN | {KEYS: "OPENAI_API_KEY=http://gpu.lan, OPENAI_API_KEY=api.openai.com"}
    proxy = 'proxy = "http://evil.example:3128"\n'
    with pytest.raises(Problem):
        key(judge("http://gpu.lan/v1", proxy), listed)
    assert key(judge(OPENAI, proxy), listed)  # sees TLS only
    for header in ("hOsT", "X-Forwarded-Host"):
        with pytest.raises(Problem):
            key(judge(OPENAI, more=f'extra_headers = {{ {header} = "evil.example" }}\n'), listed)


def test_headers_of_the_servers_environment_go_to_its_own_endpoint_only(monkeypatch):
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Gateway: very-secret")
    sent = []

    def seen(environ, url, endpoint=""):
        ask(judge(url, endpoint), environ=environ, connections=Line(lambda head: sent.append(head)))

    for environ, url, endpoint, goes in (
        (SIGNED_IN, EVIL, 'auth = "none"\n', False),
        (SIGNED_IN, OPENAI, "", True),
        (AWS, EVIL, 'auth = "none"\n', True),
    ):
        with pytest.raises(AttributeError):  # nothing answers
            seen(environ, url, endpoint)
        assert ("very-secret" in str(sent[-1])) == goes


def test_the_screen_says_why_no_key_goes_and_not_whether_there_is_one():
    evil = judge(EVIL, of("AWS_SECRET_ACCESS_KEY"))
    with environment({BOUND: "1"}):
        told = run_offer.key_sentence(evil)
    with environment(SIGNED_IN):
        assert run_offer.key_sentence(evil) == told


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
    session.run(key_source.typed.set, {"OPENAI_API_KEY": TYPED})
    return session.run(call, *args)


def test_a_typed_key_precedes_that_of_the_environment_and_stays_in_its_session():
    assert in_session(key, judge(OPENAI), AWS) == TYPED
    assert key(judge(OPENAI), AWS) == AWS["OPENAI_API_KEY"]
    assert TYPED not in in_session(run_offer.key_sentence, judge(OPENAI))


def test_where_people_sign_in_a_typed_key_goes_to_no_other_server():
    with pytest.raises(Problem):
        in_session(key, judge(EVIL), SIGNED_IN)
    with environment(SIGNED_IN):
        assert not api_keys.may_be_typed(judge(EVIL))
        assert api_keys.may_be_typed(judge(OPENAI))


@pytest.mark.parametrize("name", ["PATH", "LD_PRELOAD", "PYTHONPATH", "KEY", "_KEY_FILE"])
def test_nothing_but_a_key_is_typed_into_the_environment_of_a_run(name):
    assert not api_keys.may_be_typed(judge(EVIL, of(name)))
    assert api_keys.may_be_typed(judge(EVIL, of("MY_GPU_KEY")))


def test_a_server_that_needs_no_key_asks_for_none():
    assert not api_keys.may_be_typed(judge(EVIL, 'auth = "none"\n'))
