"""The lead's screen of the team: people, links, sessions, sets, and what was changed."""

from concord.grading import grading_sets
from concord.store.permissions import LEAD, VIEWER
from concord.team import members, sessions
from tests.support.screens import tables


def test_a_lead_adds_invites_signs_out_and_is_told_what_was_changed(team, team_screen):
    store, lea, ann = team
    app = team_screen(lea)
    [row] = [row for row in tables(app)[0].to_dict("records") if row["Member"] == "Ann"]
    assert (
        row["Role"] == "annotator" and row["Grading sets"] == "Team" and row["Signed in since, UTC"]
    )
    app.text_input(key="team.name").set_value("Bo")
    next(one for one in app.button if one.label == "Add member").click().run()
    assert members.named(store, "Bo").role == "grader"
    app.selectbox(key="team.one").set_value("Ann").run()
    app.button(key="team.invite").click().run()
    link = app.code[0].value
    assert sessions.opened_link(store, link.rpartition("/join/")[2], "here") == ann
    app.run()
    assert not app.code  # it is told once
    app.button(key="team.out").click().run()
    assert not sessions.since(store)
    app.button(key="team.withdraw").click().run()
    assert not sessions.links_until(store)
    assert not app.exception
    changed = app.dataframe[-1].value
    assert "members" in set(changed["Object"])


def test_a_role_and_the_open_sets_of_a_person_are_changed(team, team_screen):
    store, lea, ann = team
    app = team_screen(lea)
    app.selectbox(key="team.one").set_value("Ann").run()
    [sets] = app.multiselect
    sets.set_value([]).run()
    app.button(key="team.open").click().run()
    assert grading_sets.sets_of(store, ann.grader_id) == []
    app.selectbox(key="team.one").set_value("Lea").run()
    app.selectbox(key=f"team.role.{lea.id}.lead").set_value("none").run()
    app.button(key="team.give").click().run()
    assert members.named(store, "Lea").role == LEAD and not app.exception


def test_nobody_else_sees_it(team, team_screen):
    app = team_screen(team[1], VIEWER)
    assert not app.dataframe and not app.button
