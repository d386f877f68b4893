"""What was computed for a large sheet is there for the next process, and never an old one's."""

import asyncio
import re
import shutil

import httpx2
import pytest
import streamlit as st
from streamlit.auth_util import encode_provider_token

from concord.reports.panel.criterion_comparison import CONSENSUS, EACH
from concord.reports.panel.panel import read
from concord.store import graders, items, sheets
from concord.store.database import READ_ONLY, open_store
from concord.store.grades import Press, record
from concord.store.rubrics import rubric_versions
from concord.team import members, sessions
from concord.ui import cached_reports
from concord.ui.cached_reports import Report
from concord.ui.screens.agreement import every_row, of_criterion
from concord.ui.server.security_middleware import BEHIND_PROXY
from concord.ui.sign_in import TRUSTED, VISITOR, SignedOut, own_store, person
from tests.support.alike import differ
from tests.support.browser import Server
from tests.support.panels import give, judge
from tests.support.visitor import ANA, CLIENT, Provider, Visitor


def _another_process():
    st.cache_data.clear()
    st.cache_resource.clear()


@pytest.mark.parametrize("name", ["sample", "unequal", "units"])
def test_another_process_gets_what_would_be_computed(large, computed, golden, tmp_path, name):
    with open_store(shutil.copy(golden(name), tmp_path / "concord.db")) as store:
        sheet = sheets.all_sheets(store)[0]
        graded = rubric_versions.graded(store, sheet.id)
        for rubric in [*graded, *rubric_versions.units_graded(store, sheet.id)]:
            _check_next_process(store, sheet, rubric_versions.named(store, rubric)[1], computed)


def test_means_and_continuous_numbers_come_back_too(large, computed, store, compared, doc_qa):
    judge(store, doc_qa, "fractions", {n: n / 7 for n in range(20)})
    crowd = graders.ensure(store, "person", "crowd", definition={"mean": True})
    version, ids = doc_qa.versions()["correctness"], items.item_ids(store, compared.id)
    record(store, [Press(ids[n], version, crowd, score=n / 9) for n in range(9)])
    _check_next_process(store, compared, doc_qa, computed)


def _check_next_process(store, sheet, rubric, computed):
    panel = read(store, sheet, rubric)
    for kind in (EACH, CONSENSUS):
        expected = every_row(Report(store, sheet, rubric), kind)
        _another_process()
        computed.clear()
        report = Report(store, sheet, rubric)
        assert differ(panel, report.panel) == []
        assert differ(expected, every_row(report, kind)) == []
        assert computed == []


def test_rows_are_of_the_annotators_who_are_included(large, store, compared, doc_qa):
    ana, counts = graders.named(store, "person", "Ana").id, []
    for state in ("included", "excluded", "included"):
        graders.decide_annotator(store, compared.id, ana, state, "Lea", "a test")
        counts.append(every_row(Report(store, compared, doc_qa), EACH)[0].n)
        _another_process()
    assert counts == [12, 8, 12]


def test_the_best_judge_is_of_the_heaviest_criterion_whatever_was_read_last(
    calls, store, compared, doc_qa
):
    judge(store, doc_qa, "other", {n: 0 for n in range(30)})
    judge(store, doc_qa, "other", {n: n % 4 for n in range(12)}, criterion="readability")
    give(store, doc_qa, "Ana", {n: n % 4 for n in range(12)}, "readability")
    report = Report(store, compared, doc_qa, by_criterion=True)
    report.on("readability")
    assert report.headline().criterion == "correctness"
    assert report.best() == Report(store, compared, doc_qa).best()


def test_another_process_reads_again_after_a_grade(large, computed, store, compared, doc_qa):
    Report(store, compared, doc_qa)
    _another_process()
    give(store, doc_qa, "Ana", {20: 1})
    assert of_criterion(Report(store, compared, doc_qa), EACH, "correctness")[0].n == 13
    assert computed == ["panel", "panel", "rows"]


def test_what_may_be_of_two_states_is_not_kept(large, monkeypatch, store, compared, doc_qa):
    """Somebody writes while it is computed."""

    def late(*arguments, **named):
        found = read(*arguments, **named)
        graders.ensure(store, "person", "new")
        return found

    monkeypatch.setattr(cached_reports, "read", late)
    Report(store, compared, doc_qa)
    assert [*store.results.iterdir()] == []


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
