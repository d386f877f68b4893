"""Fixtures of the tests of team."""

import shutil

import pytest

from concord.grading import grading_sets
from concord.store import additions
from concord.store.database import open_store
from concord.store.rubrics import rubric_versions
from concord.team import members, sessions
from concord.ui.server.security_middleware import COOKIE
from tests.support.made_items import made_item
from tests.support.visitor import SECRET


@pytest.fixture
def lea(store):
    return members.add(store, "Lea", "lead", "test")


@pytest.fixture
def ann(store, lea):
    return members.add(store, "Ann", "grader", "Lea")


@pytest.fixture
def team_server(made_empty, tmp_path, serve):
    """A cold server, its store, the set that Ann and Bo grade, and each one's cookie."""
    db = shutil.copy(made_empty, tmp_path / "team.db")
    with open_store(db) as store:
        members.add(store, "Lea", "lead", "test")
        rubric_id, _ = rubric_versions.named(store, "doc-qa-0-3")
        made = [made_item(n, SECRET, answer="A number.") for n in range(4)]
        made = [item._replace(own_id=f"i{n}") for n, item in enumerate(made)]
        sheet = additions.add(store, "numbers", made, "n.csv", "0" * 64, {})
        one = grading_sets.create(store, sheet.id, rubric_id, "Team", None, 1)
        cookies = {}
        for name, role in (("Ann", "grader"), ("Bo", "grader"), ("Vi", "viewer")):
            member = members.add(store, name, role, "Lea")
            cookies[name] = f"{COOKIE}={sessions.begin(store, member)}"
            if role == "grader":
                grading_sets.join(store, one, member.grader_id, "Lea")
        yield serve(db, script="server.py"), store, one, cookies
