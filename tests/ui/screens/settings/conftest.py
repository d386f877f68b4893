"""Fixtures of the tests of settings."""

import pytest

from concord.grading import grading_sets
from concord.store.permissions import LEAD, Who
from concord.team import members, sessions
from tests.support.screens import opened, sign_in_as


@pytest.fixture
def team(store, sheet, rubric):
    """A lead, a grader with an open set and a session, and nobody else."""
    lea = members.add(store, "Lea", LEAD, "test")
    ann = members.add(store, "Ann", "grader", "Lea")
    made = grading_sets.create(store, sheet.id, rubric[0], "Team", 2, 1)
    grading_sets.join(store, made, ann.grader_id, "Lea")
    sessions.begin(store, ann)
    return store, lea, ann


@pytest.fixture
def team_screen(team, monkeypatch):
    """Opens the screen as somebody who signed in."""

    def as_whom(member, role=LEAD):
        sign_in_as(monkeypatch, Who(member.name, role, member.grader_id))
        return opened(monkeypatch, team[0].path, "pages/settings.py")

    return as_whom
