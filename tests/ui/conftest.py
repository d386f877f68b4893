"""Fixtures of the tests of ui.

A sheet of 5,000 answers, made by rule: four models answered 1,250 questions.

Ana and Ben graded every answer on three criteria, as the judges `close` and `far` did; one question
in five is about `pumps`, and every answer has a value of faithfulness.
"""

import json
import shutil
from urllib.parse import parse_qsl

import pytest
import streamlit as st

from concord import clock
from concord.clock import now
from concord.store import additions, graders, items, metric_values
from concord.store.database import Store, open_store
from concord.store.grades import Press
from concord.store.metric_values import NewMetricValue
from concord.store.permissions import VIEWER, Who
from concord.store.rubrics import rubric_versions
from concord.team import members
from concord.ui import navigation, sign_in
from tests.support import made_once
from tests.support.made_items import made_item
from tests.support.screens import opened, sign_in_as
from tests.support.visitor import ANA

NAME, QUESTIONS, MODELS = "large", 1250, ("atlas", "birch", "cobalt", "dune")
# Who is one point off the truth on every so-manieth answer.
GRADERS = {("person", "Ana"): 11, ("person", "Ben"): 7, ("judge", "close"): 9, ("judge", "far"): 3}
_COLUMNS = ("item_id", "version", "grader_id", "status", "score", "reason", "blind", "created_at")


def fill(store: Store) -> None:
    """Add the sheet with its grades to a database."""
    made = [
        made_item(n, model, metadata={"set": "valves" if n % 5 else "pumps"})
        for n in range(QUESTIONS)
        for model in MODELS
    ]
    sheet = additions.add(store, NAME, made, "large.csv", "0" * 64, {})
    ids = items.item_ids(store, sheet.id)
    versions = [*rubric_versions.named(store, "doc-qa-0-3")[1].versions().values()]
    moment = now()
    with store.write():
        for (kind, name), every in GRADERS.items():
            grader = graders.ensure(store, kind, name, "" if kind == "person" else name)
            rows = [
                (*(item, version, grader, "scored"), _score(n + k, every), "So it is.", 1, moment)
                for n, item in enumerate(ids)
                for k, version in enumerate(versions)
            ]
            store.insert_many("grades", _COLUMNS, rows)
    body = {"metric": "faithfulness", "switches": {"support": "strict"}}
    metric_values.register(store, "faithfulness", "v1", json.dumps(body))
    mine = graders.ensure(store, "metric", "mine", "f1")
    values = [Press(item, "v1", mine, score=n % 4 / 3) for n, item in enumerate(ids)]
    metric_values.record(store, [NewMetricValue(one) for one in values])


def _score(place: int, every: int) -> int:
    """Mostly 3, less often 2 and seldom 1 or 0."""
    truth = (3, 2, 3, 3, 1, 3, 2, 0)[place * 7 % 8]
    return truth if place % every else truth + (1 if truth < 3 else -1)


@pytest.fixture
def viewer(monkeypatch):
    """A viewer has signed in."""
    sign_in_as(monkeypatch, Who("Vi", VIEWER))


@pytest.fixture
def calls():
    """What was computed so far; nothing is kept from one test to the next."""
    st.cache_data.clear()
    st.cache_resource.clear()
    return []


@pytest.fixture
def said(store, monkeypatch):
    """What the provider says of whoever is before the screen; Ana is a viewer."""
    members.add(store, "Lea", "lead", "test")
    members.add(store, ANA, "viewer", "Lea")
    claims = {"email": ANA, "email_verified": True, "iat": 1_000_000}
    monkeypatch.setenv("CONCORD_DB", store.path)
    monkeypatch.setattr(st, "user", claims)
    monkeypatch.setattr(sign_in, "_has_provider", lambda: True)
    monkeypatch.setattr(clock, "hours_since", lambda seconds: (1_000_000 - seconds) / 3600 + 1)
    return claims


@pytest.fixture
def compared(store, sheet, doc_qa):
    """Two annotators and a judge on some answers."""
    from tests.support.panels import give, judge

    give(store, doc_qa, "Ana", {n: n % 4 for n in range(12)})
    give(store, doc_qa, "Ben", {n: n % 3 for n in range(8)})
    judge(store, doc_qa, "gpt", {n: 3 for n in range(30)})
    return sheet


@pytest.fixture(scope="session")
def made_large(tmp_path_factory):
    """A database with 5,000 answers, made once; copy it, do not write to it."""
    db = made_once.folder(tmp_path_factory) / "large.db"
    with made_once.locked(db):
        if not db.exists():
            making = db.with_name("making-large.db")
            with open_store(making) as store:
                fill(store)
            making.rename(db)
    return db


@pytest.fixture
def look(monkeypatch):
    """Opens an address on a database; the screen must be without a fault and have a heading."""

    def at(db, address: str, **query: object):
        name, _, more = address.partition("?")
        app = opened(monkeypatch, db, navigation.path(name), **dict(parse_qsl(more)) | query)
        assert not app.exception and not app.error
        assert [one.value for one in (*app.header, *app.subheader) if one.value.strip()]
        return app

    return at


@pytest.fixture
def large_db(made_large, tmp_path):
    """The file of a database with 5,000 answers, this test's own."""
    return shutil.copy(made_large, tmp_path / "large.db")
