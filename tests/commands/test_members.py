"""Members and campaigns on the command line."""

import json
import re


def rows(result) -> list[str]:
    """The cells of the first row of the table that a command printed."""
    return re.split(" {2,}", result.stdout.splitlines()[1])


def test_the_first_member_leads_and_a_link_is_told_once(run):
    run("members", "--add", "Ann", "grader", code=2)
    run("members", "--add", "Lea", "lead")
    link = run("members", "--invite", "Lea", "--url", "https://g.example.org/").stdout
    assert link.startswith("https://g.example.org/join/") and len(link) > 60
    (lea,) = json.loads(run("members", "--json").stdout)["members"]
    assert lea.pop("link_open_until") > "2026"
    assert lea == {"name": "Lea", "role": "lead", "signed_in_since": None, "sets": []}


def test_a_set_is_opened_to_a_member_and_closed_again(run, three_blocks):
    run("members", "--add", "Lea", "lead")
    run("members", "--add", "Ann", "annotator")
    assert rows(run("members", "--open", "Ann", "Team")) == ["Ann", "annotator", "Team"]
    assert rows(run("members", "--close", "Ann", "Team")) == ["Ann", "annotator"]
    run("members", "--open", "Ann", "Other", code=2)


def test_a_set_is_shared_out_a_block_moved_and_somebody_leaves(run, share_out):
    said = share_out("--json")
    rows = {row["name"]: row for row in json.loads(said.stdout)["annotators"]}
    assert sorted(rows["Ann"]["blocks"] + rows["Bo"]["blocks"]) == [1, 2, 3]
    first = str(rows["Ann"]["blocks"][0])
    run("campaign", "Team", "--move", first, "Bo", "Ann", code=2)
    run("campaign", "Team", "--move", first, "Ann", "Bo", "--why", "ill")
    run("campaign", "Team", "--move", "0", "Bo", "Ann", code=2)
    said = run("campaign", "Team", "--leave", "Ann").stdout
    assert said.splitlines()[-1].endswith("1, 2, 3")
    unassigned = "Blocks with an unassigned place: 1, 2, 3."
    assert unassigned in run("campaign", "Team", "--leave", "Bo").stdout
    said = json.loads(run("campaign", "Team", "--move", "2", "-", "Ann", "--json").stdout)
    assert said["annotators"][0]["blocks"] == [2] and said["unassigned"] == [1, 3]
    assert (said["moved"]["from"], said["moved"]["to"], said["moved"]["graded"]) == (None, "Ann", 0)


def test_work_that_is_done_is_given_away_only_after_a_question(run, begun):
    move = ("campaign", "Team", "--move", begun, "Ann", "Bo")
    refused = run(*move, code=2).stderr
    assert "Add --yes" in refused
    run(*move, "--yes")
