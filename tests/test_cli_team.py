"""Members and campaigns on the command line."""

import json

import pytest

from data import grading_sets, members, rubric_versions, sessions, sheets
from data.store import open_store


@pytest.fixture
def team_set(run, answers, tmp_path):
    """A sheet of twelve answers with a set of three blocks."""
    run("import", answers)
    with open_store(tmp_path / "concord.db") as store:
        sheet = sheets.find(store, "meetings")
        rubric_id, _ = rubric_versions.named(store, "doc-qa-0-3")
        grading_sets.create(store, sheet.id, rubric_id, "Team", None, 1, 4)


def test_the_first_member_leads_and_a_link_is_told_once(run):
    assert run("members").stdout == "Nobody: no one signs in.\n"
    assert "Add a lead first" in run("members", "--add", "Ann", "grader", code=2).stderr
    run("members", "--add", "Lea", "lead")
    link = run("members", "--invite", "Lea", "--url", "https://g.example.org/").stdout
    assert link.startswith("https://g.example.org/join/") and len(link) > 60
    assert json.loads(run("members", "--json").stdout) == {
        "members": [{"name": "Lea", "role": "lead", "signed_in_since": None, "sets": []}]
    }


def test_who_is_signed_in_by_a_link_is_listed_with_since_when(run, tmp_path):
    run("members", "--add", "Lea", "lead")
    with open_store(tmp_path / "concord.db") as store:
        sessions.begin(store, members.find(store, "Lea"))
        began = store.value("select began_at from sessions")
    said = f"Lea: lead, signed in since {began[:10]} {began[11:16]} UTC\n"
    assert run("members").stdout == said


def test_a_set_is_opened_to_a_member_and_closed_again(run, team_set):
    run("members", "--add", "Lea", "lead")
    run("members", "--add", "Ann", "grader")
    assert "Ann: grader, grades Team" in run("members", "--open", "Ann", "Team").stdout
    assert "Ann: grader\n" in run("members", "--close", "Ann", "Team").stdout
    assert "has no grading set Other" in run("members", "--open", "Ann", "Other", code=2).stderr


def test_a_set_is_shared_out_a_block_moved_and_somebody_leaves(run, team_set):
    said = run("campaign", "Team", "--people", "Ann", "--people", "Bo", "--each", "1", "--json")
    rows = {row["name"]: row for row in json.loads(said.stdout)["people"]}
    assert sorted(rows["Ann"]["blocks"] + rows["Bo"]["blocks"]) == [1, 2, 3]
    first = str(rows["Ann"]["blocks"][0])
    assert "is not theirs" in run("campaign", "Team", "--move", first, "Bo", "Ann", code=2).stderr
    run("campaign", "Team", "--move", first, "Ann", "Bo", "--why", "ill")
    assert "0 is not a block" in run("campaign", "Team", "--move", "0", "Bo", "Ann", code=2).stderr
    said = run("campaign", "Team", "--leave", "Ann").stdout
    assert said.startswith("Bo: 0 of ") and "blocks 1, 2, 3" in said
    assert "Nobody any more: blocks 1, 2, 3" in run("campaign", "Team", "--leave", "Bo").stdout
    said = json.loads(run("campaign", "Team", "--move", "2", "-", "Ann", "--json").stdout)
    assert said["people"][0]["blocks"] == [2] and said["nobody"] == [1, 3]


def test_more_people_for_an_answer_than_there_are_is_refused_and_never_made_fewer(run, team_set):
    asked = ("campaign", "Team", "--people", "Ann", "--people", "Bo")
    assert "3 people shall grade" in run(*asked, "--each", "3", code=2).stderr
    assert "To be done by 2026-12-24." in run(*asked, "--until", "2026-12-24").stdout
