"""The verb `regrade`: what no longer compares goes back into queues, then old and new together."""

import json

from concord.store import sheets
from concord.store.database import open_store
from concord.store.rubrics import rubric_edits, rubric_versions
from tests.support.panels import give
from tests.support.rubrics import reworded

CRITERION = ("--criterion", "correctness")


def test_what_is_left_is_asked_for_and_old_and_new_are_listed(run, answers, db):
    run("import", answers)
    with open_store(db) as store:
        base = rubric_versions.named(store, "doc-qa-0-3")[1]
        first, second = reworded(base), reworded(base, words="Is it true?")
        rubric_edits.save(store, base, first, {})
        give(store, first, "Ana", {0: 1, 1: 2})
        rubric_edits.save(store, first, second, {})
    mine = ("regrade", "--rubric", "mine", *CRITERION)
    assert run(*mine).stdout.splitlines()[-1].split() == ["meetings", "2", "2", "1"]
    run("import", answers, "--sheet", "other")
    elsewhere = json.loads(run(*mine, "--sheet", "other", "--ask", "--json").stdout)
    assert elsewhere["made"] == elsewhere["to_ask"] == []
    made = json.loads(run(*mine, "--ask", "--json").stdout)
    assert made["made"] == [{"set": "Correctness again", "grades": 2, "answers": 2}]
    assert made["to_ask"] == [] and made["rows"][0]["left_out"] == {"not given again yet": 2}
    with open_store(db) as store:
        assert sheets.find(store, "meetings")
        give(store, second, "Ana", {0: 0, 1: 2})
    lines = run(*mine).stdout.splitlines()
    assert lines[0] == "2 of 2 grades can be compared with the old one: 0 moved up, 1 down."
    assert lines[3].split()[:7] == ["Ana", "2", "2", "1", "0", "1", "1"]


def test_a_criterion_that_is_none_is_named(sampled):
    said = sampled("regrade", "--criterion", "charm", code=2).stderr
    assert "has no criterion charm" in said
