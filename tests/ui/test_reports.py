"""Reports on screen are of the state of the store, and whoever opens them is who they say."""

import asyncio
import re
import shutil

import httpx2
import pytest
from streamlit.auth_util import encode_provider_token

from concord.reports.panel.criterion_comparison import EACH
from concord.store import graders
from concord.store.database import READ_ONLY, open_store
from concord.team import members, sessions
from concord.ui.reports import Report
from concord.ui.screens.agreement import every_row
from concord.ui.server.security_middleware import BEHIND_PROXY
from concord.ui.sign_in import TRUSTED, VISITOR, SignedOut, own_store, person
from tests.support.browser import Server
from tests.support.visitor import ANA, CLIENT, Provider, Visitor


def test_rows_are_of_the_annotators_who_are_included(calls, store, compared, doc_qa):
    ana, counts = graders.named(store, "person", "Ana").id, []
    for state in ("included", "excluded", "included"):
        graders.decide_annotator(store, compared.id, ana, state, "Lea", "a test")
        counts.append(every_row(Report(store, compared, doc_qa), EACH)[0].n)
    assert counts == [12, 8, 12]


SECRET = "s" * 32


def test_whom_the_provider_names_by_a_verified_address_is_the_member_of_that_name(said):
    assert person().name == ANA
    said["email"] = "ANA@example.org"
    assert person().role == "viewer"


@pytest.mark.parametrize(
    "claims",
    [
        {"email_verified": False},
        {"email_verified": None},
        {"email": "bo@example.org"},
        {"email": ""},
        {"iat": None},
        {"iat": 1_000_000 - 3600 * sessions.HOURS},
    ],
    ids=["not verified", "not said", "no member", "no address", "no time", "over"],
)
def test_nobody_else_is_let_in(said, claims):
    said |= claims
    with pytest.raises(SignedOut):
        person()


def test_behind_a_proxy_nobody_gets_in_before_there_is_a_member(store, monkeypatch):
    monkeypatch.setenv("CONCORD_DB", store.path)
    assert person() is None
    monkeypatch.setenv(BEHIND_PROXY, "1")
    with pytest.raises(SignedOut):
        person()


def test_a_provider_that_never_says_verified_can_be_trusted_by_name(said, monkeypatch):
    monkeypatch.setenv(TRUSTED, "1")
    said["email_verified"] = None
    assert person().name == ANA


def test_a_provider_signs_a_member_in_over_the_real_protocol(
    made_empty, tmp_path, httpserver, monkeypatch
):
    monkeypatch.setattr("streamlit.auth_util.get_signing_secret", lambda: SECRET)
    provider = Provider(httpserver)
    db, secrets = shutil.copy(made_empty, tmp_path / "team.db"), tmp_path / "secrets.toml"
    with open_store(db) as store:
        members.add(store, "Lea", "lead", "test")
        members.add(store, ANA, "viewer", "Lea")
    log = tmp_path / "server.log"
    server = Server(db, log, "server.py", STREAMLIT_SECRETS_FILES=str(secrets))
    secrets.write_text(
        f'[auth]\nredirect_uri = "{server.url}/oauth2callback"\ncookie_secret = "{SECRET}"\n'
        f'client_id = "{CLIENT}"\nclient_secret = "x"\nserver_metadata_url = "{provider.url}"\n'
    )

    async def seen():
        async with httpx2.AsyncClient(follow_redirects=True) as browser:
            way = f"{server.url}/auth/login?provider={encode_provider_token('default')}"
            assert (await browser.get(way)).status_code == 200
            await browser.get(f"{server.url}/_stcore/health")
            cookie = "; ".join(f"{name}={held}" for name, held in browser.cookies.items())
        async with Visitor(server.url, cookie, Origin=server.url) as visitor:
            return await visitor.visit("sheets")

    server.start()
    try:
        provider.claims = {"email": ANA, "email_verified": True}
        assert f"{ANA} · viewer" in re.sub(r"\\|:small\[\]", "", asyncio.run(seen()))
        provider.claims = {"email": ANA}
    finally:
        server.stop()


def test_whoever_opens_a_read_only_app_is_a_visitor(read_only_sample, monkeypatch):
    monkeypatch.setenv("CONCORD_DB", str(read_only_sample))
    assert person() == VISITOR
    monkeypatch.setenv(BEHIND_PROXY, "1")  # there is nothing to change that must be guarded
    assert person() == VISITOR
    with own_store() as store:
        assert store.read_only and store.who == VISITOR


def test_a_read_only_app_with_members_still_asks_who_one_is(sample_store, monkeypatch):
    members.add(sample_store, "Lea", "lead", "test")
    monkeypatch.setenv("CONCORD_DB", sample_store.path)
    monkeypatch.setenv(READ_ONLY, "1")
    with pytest.raises(SignedOut):
        person()
