"""Grades in the download menu of Data: CSV and the file of each tool, for leads alone."""

import pytest

from concord.sampling import split_assignment, splits
from concord.store import items
from concord.store.permissions import LEAD, VIEWER, Who
from concord.ui.screens.data import grade_export
from concord.ui.sign_in import VISITOR
from tests.support.commandline import invoke
from tests.support.screens import opened, said, sign_in_as

PAGE, KEY, FILE = "pages/data.py", "grades.export", "traces-grades.csv"


def offered(app):
    return [one.label for one in app.get("download_button")]


def test_a_tool_that_takes_one_grader_has_one_chosen(store, traces, monkeypatch):
    app = opened(monkeypatch, store.path, PAGE, {KEY: "inspect"})
    assert "Choose one." in said(app) and "--grader" not in said(app)
    assert app.selectbox(key=f"{KEY}.{traces.id}").options == ["Ana", "Ben", "careful"]
    app = opened(monkeypatch, store.path, PAGE, {KEY: "inspect", f"{KEY}.{traces.id}": "Ana"})
    assert "3 grades" in said(app)


def test_the_file_of_the_screen_is_that_of_the_command(store, traces, tmp_path, monkeypatch):
    monkeypatch.setenv("CONCORD_DB", str(store.path))
    monkeypatch.setattr(grade_export, "own_store", lambda: _Open(store))
    invoke(store.path, "export-grades", tmp_path / FILE, "--for", "csv")
    assert grade_export._csv(traces) == (tmp_path / FILE).read_bytes()


def test_grades_of_the_held_out_test_stay_closed(store, traces, monkeypatch):
    monkeypatch.setattr(grade_export, "own_store", lambda: _Open(store))
    one = items.items(store, items.item_ids(store, traces.id))[0]
    split_assignment.assign(store, [one.question_id], "held-out", "")
    assert splits.held_out(store, traces.id) == {one.question_id}
    assert one.item.own_id.encode() not in grade_export._csv(traces)


@pytest.mark.parametrize(
    ("who", "offers"),
    [(Who("Lea", LEAD), True), (Who("Vi", VIEWER), False), (VISITOR, True), (None, True)],
)
def test_only_leads_and_visitors_of_a_demo_are_offered_grades(
    store, traces, monkeypatch, who, offers
):
    sign_in_as(monkeypatch, who)
    app = opened(monkeypatch, store.path, PAGE)
    assert not app.exception and (FILE in offered(app)) is offers
    assert (KEY in [one.key for one in app.selectbox]) is offers


class _Open:
    """The test's own store, which stays open."""

    def __init__(self, store):
        self._store = store

    def __enter__(self):
        return self._store

    def __exit__(self, *_):
        return None
