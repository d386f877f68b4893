"""The commands disagreements, adjudicate and regrade: lists, tags, settling, and grading again."""

import json

import pytest

from concord.store.database import open_store


@pytest.mark.parametrize(
    "words",
    [
        ("--tag", "q13-cobalt", "judge_wrong", "--by", "Zoë"),
        ("--tag", "1.2.3.0.correctness", "judge_wrong", "--by", "Zoë"),
        ("--judge", "gone"),
        ("--cell", "2:2"),
        ("--cell", "0:9"),
    ],
)
def test_what_cannot_be_done_is_refused(sampled, words):
    assert sampled("disagreements", *words, code=2).stdout == ""


def test_a_disagreement_is_tagged_by_its_key(sampled):
    def listed(*words):
        return json.loads(sampled("disagreements", *words, "--json").stdout)

    first, *_ = listed()["disagreements"]
    sampled("disagreements", "--tag", first["key"], "judge_wrong", code=2)
    sampled("disagreements", "--tag", first["key"], "judge_wrong", "--by", "Zoë")
    (tagged,) = listed("--cause", "tagged")["disagreements"]
    assert (tagged["key"], tagged["cause"], tagged["tagged_by"]) == (
        first["key"],
        "judge_wrong",
        "Zoë",
    )
    sampled("disagreements", "--tag", first["key"], "none", "--by", "Zoë")
    assert listed()["causes"] == {}


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


def test_a_draw_is_settled_as_one_and_an_answer_without_a_difference_as_nothing_else(sampled, db):
    differ = {one["at"] for one in told(sampled)["answers"]}
    draw = ("--draw", 96, "--seed", 3)
    at = next(one["at"] for one in told(sampled, *draw)["answers"] if one["at"] not in differ)
    settle = ("--at", at, "--by", "Lea", "--score", "correctness", 2)
    told(sampled, *draw, *settle)
    with open_store(db) as store:
        rows = store.rows("select item_id, triggered_by from adjudications")
        assert [tuple(row) for row in rows] == [(at, "draw")]
