"""The verb `adjudicate`: what annotators differ on, one answer under letters, and settling it."""

import json

from concord.commands.adjudicate import CAUSES as SAID
from concord.grading.adjudications import CAUSES
from concord.store.database import open_store


def told(run, *words) -> dict:
    return json.loads(run("adjudicate", *words, "--json").stdout)


def test_the_list_counts_and_one_answer_is_settled_and_taken_back(sampled, db):
    listed = told(sampled)
    assert (listed["n"], listed["left"], listed["triggered_by"]) == (91, 91, "people")
    assert listed["sentence"] == (
        "Annotators differ on 91 answers (any criterion), 91 left to adjudicate."
    )
    at = listed["answers"][0]["at"]
    shown = told(sampled, "--at", at)
    assert shown["criteria"]["correctness"]["adjudicated"] is None
    assert [one["letter"] for one in shown["criteria"]["correctness"]["said"]] == ["A", "B", "C"]
    settle = ("adjudicate", "--at", at, "--by", "Lea", "--score", "correctness")
    lines = sampled(*settle, 2, "--cause", "overlooked", "--note", "see 2").stdout.splitlines()
    grades = [line.split() for line in lines if line.startswith("correctness")]
    assert [(letter, adjudicated) for _, letter, _, adjudicated, *_ in grades] == [
        ("A", "2"),
        ("B", "2"),
        ("C", "2"),
    ]
    assert told(sampled)["left"] == 90
    zero = sampled(*settle, 0).stdout
    assert [line.split()[3] for line in zero.splitlines() if line.startswith("correctness")] == [
        *("0", "0", "0")
    ]
    sampled(*settle, "none")
    assert told(sampled)["left"] == 91
    with open_store(db) as store:
        rows = store.rows("select score, cause, note, blind, triggered_by from adjudications")
        assert [tuple(row) for row in rows] == [
            (2, "overlooked", "see 2", 1, "people"),
            (0, "", "", 1, "people"),
            (None, "", "", 1, "people"),
        ]


def test_a_draw_is_the_same_for_a_seed(sampled):
    one, again, other = (told(sampled, "--draw", 5, "--seed", n) for n in (1, 1, 2))
    assert one == again != other
    assert (one["n"], one["triggered_by"]) == (5, "draw")


def test_what_is_wrong_is_said(sampled):
    assert "Name the answer with --at" in refused(sampled, "--score", "correctness", "2")
    at = told(sampled)["answers"][0]["at"]
    one = ("--at", at, "--by", "Lea", "--score", "correctness")
    assert "two is not a score" in refused(sampled, *one, "two")
    assert "9 is not a score of this scale" in refused(sampled, *one, 9)
    assert "Nothing to adjudicate at 99999" in refused(sampled, "--at", 99999)


def test_a_draw_is_settled_as_one_and_an_answer_without_a_difference_as_nothing_else(sampled, db):
    differ = {one["at"] for one in told(sampled)["answers"]}
    draw = ("--draw", 96, "--seed", 3)
    at = next(one["at"] for one in told(sampled, *draw)["answers"] if one["at"] not in differ)
    settle = ("--at", at, "--by", "Lea", "--score", "correctness", 2)
    assert f"Annotators do not differ on {at}." in refused(sampled, *settle)
    assert "is not in this random sample" in refused(sampled, "--draw", 1, *settle)
    told(sampled, *draw, *settle)
    with open_store(db) as store:
        rows = store.rows("select item_id, triggered_by from adjudications")
        assert [tuple(row) for row in rows] == [(at, "draw")]


def test_an_answer_is_shown_as_its_graders_saw_it_and_who_graded_it_is_warned(sampled, db):
    at = told(sampled)["answers"][0]["at"]
    found = told(sampled, "--at", at)
    plain = sampled("adjudicate", "--at", at).stdout
    shown = [found["question"], *found["contexts"], found["answer"]]
    assert len(found["contexts"]) and all(text in plain for text in shown)
    with open_store(db) as store:
        person = store.value(
            "select r.name from grades g join graders r on r.id = g.grader_id"
            " where r.kind = 'person' and g.item_id = ? limit 1",
            (at,),
        )
    settle = ("adjudicate", "--at", at, "--score", "correctness", 2, "--by")
    assert f"{person} graded this answer too." in sampled(*settle, person).stderr
    assert "graded this answer" not in sampled(*settle, "Lea").stderr


def refused(run, *words) -> str:
    return run("adjudicate", *words, code=2).stderr


def test_the_verb_names_every_cause():
    assert tuple(CAUSES) == SAID


def test_contested_answers_are_assigned_to_an_annotator_and_withdrawn(sampled, db):
    listed = told(sampled)["answers"]
    at = listed[0]["at"]
    [held] = told(sampled, "--assign", "Lea", "--criterion", "correctness")["annotators"]
    contested = [one for one in listed if "correctness" in one["points_apart"]]
    counts = {"answers": len(contested), "left": len(contested)}
    assert held == {"annotator": "Lea", "removed": False, "paused": None, **counts}
    sampled("adjudicate", "--at", at, "--by", "Lea", "--score", "correctness", 2)
    [held] = told(sampled, "--withdraw", "Lea", "--at", contested[1]["at"])["annotators"]
    assert (held["answers"], held["left"]) == (len(contested) - 1, len(contested) - 2)
    assert "has no criterion" in refused(sampled, "--assign", "Lea", "--criterion", "none")
    assert "Annotators do not differ here" in refused(sampled, "--assign", "Lea", "--at", 99999)
    assert told(sampled, "--withdraw", "Lea")["annotators"] == []
    with open_store(db) as store:
        noted = store.column("select distinct who from changes")
    assert noted == ["command line"]
