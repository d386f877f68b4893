"""The tab Grade for who signed in: whom it leads where, and who has nothing to grade."""

from concord.grading import pauses, set_graders
from concord.store import graders
from concord.team import members
from concord.ui.looker import pick_lead
from tests.support.screens import said


def links(app):
    return [one.proto.label for one in app.get("page_link")]


def test_a_viewer_is_offered_no_set_to_grade(as_whom, team_sets):
    for query in ({}, {"set": team_sets[0].id}):
        app = as_whom("Vi", **query)
        assert "Annotators grade here" in said(app)
        assert not app.button and not app.exception


def test_an_annotator_finds_the_way_back_from_a_set_of_others(as_whom, team_sets):
    app = as_whom("Ann", set=team_sets[1].id)
    assert "There is nothing to grade here" in said(app)
    assert "Your grading sets" in links(app) and "Set 2" not in said(app)


def test_a_paused_annotator_is_told_so_before_a_set_is_opened(store, as_whom, team_sets):
    ann = members.named(store, "Ann").grader_id
    set_graders.join(store, team_sets[1], ann, "Lea")
    assert not as_whom("Ann").info
    pauses.pause(store, ann, "Lea")
    assert "A lead has paused your grading" in as_whom("Ann").info[0].value


def test_a_renamed_lead_works_on_as_the_same_annotator(store, team_sets, monkeypatch):
    lea = members.named(store, "Lea").who()
    graders.rename(store, lea.grader_id, "Lea Z")
    monkeypatch.setattr(store, "who", lea)
    before = len(graders.of_kind(store, "person"))
    assert pick_lead(store, "").name == "Lea Z"
    assert len(graders.of_kind(store, "person")) == before
