"""The verb `adjudicate`: what people differ on, one answer under letters, and settling it."""

import json

from data.adjudications import CAUSES
from data.store import open_store
from verbs.adjudicate import CAUSES as SAID


def told(run, *words) -> dict:
    return json.loads(run("adjudicate", *words, "--json").stdout)


def test_the_list_counts_and_one_answer_is_settled_and_taken_back(sampled, db):
    listed = told(sampled)
    assert (listed["n"], listed["left"], listed["triggered_by"]) == (91, 91, "people")
    assert listed["sentence"] == "People differ on 91 answers, 91 left to settle."
    at = listed["answers"][0]["at"]
    shown = told(sampled, "--at", at)
    assert shown["criteria"]["correctness"]["settled"] is None
    assert [one["letter"] for one in shown["criteria"]["correctness"]["said"]] == ["A", "B", "C"]
    settle = ("adjudicate", "--at", at, "--by", "Lea", "--settle", "correctness")
    lines = sampled(*settle, 2, "--cause", "overlooked", "--note", "see 2").stdout.splitlines()
    assert "correctness   settled: 2" in lines
    assert told(sampled)["left"] == 90
    sampled(*settle, "none")
    assert told(sampled)["left"] == 91
    with open_store(db) as store:
        rows = store.rows("select score, cause, note, blind, triggered_by from adjudications")
        assert [tuple(row) for row in rows] == [
            (2, "overlooked", "see 2", 1, "people"),
            (None, "", "", 1, "people"),
        ]


def test_a_draw_is_the_same_for_a_seed(sampled):
    one, again, other = (told(sampled, "--draw", 5, "--seed", n) for n in (1, 1, 2))
    assert one == again != other
    assert (one["n"], one["triggered_by"]) == (5, "draw")


def test_what_is_wrong_is_said(sampled):
    assert "Name the answer with --at" in refused(sampled, "--settle", "correctness", "2")
    one = ("--at", 1, "--by", "Lea", "--settle", "correctness")
    assert "two is not a score" in refused(sampled, *one, "two")
    assert "9 is not a score of this scale" in refused(sampled, *one, 9)
    assert "There is nothing to settle at 99999" in refused(sampled, "--at", 99999)


def refused(run, *words) -> str:
    return run("adjudicate", *words, code=2).stderr


def test_the_verb_names_every_cause():
    assert tuple(CAUSES) == SAID
