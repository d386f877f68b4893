"""The tab Grade for who signed in: whom it leads where, and who has nothing to grade."""

from concord.store import graders
from concord.team import members
from concord.ui.looker import pick_lead


def test_a_viewer_is_offered_no_set_to_grade(as_whom, team_sets):
    for query in ({}, {"set": team_sets[0].id}):
        app = as_whom("Vi", **query)
        assert not app.button and not app.exception


def test_a_renamed_lead_works_on_as_the_same_annotator(store, team_sets, monkeypatch):
    lea = members.named(store, "Lea").who()
    graders.rename(store, lea.grader_id, "Lea Z")
    monkeypatch.setattr(store, "who", lea)
    before = len(graders.of_kind(store, "person"))
    assert pick_lead(store, "").name == "Lea Z"
    assert len(graders.of_kind(store, "person")) == before
