"""Prodigy tasks: the verdict on a task is not its answer."""

import json

import pytest

from tests.support.exports import CASES, grades, left_out, rows

TASKS = [json.loads(line) for line in (CASES / "prodigy.jsonl").read_text().splitlines()]


def read(tasks):
    return rows("\n".join(map(json.dumps, tasks)).encode(), "tasks.jsonl")


def test_the_text_is_the_answer_and_the_choice_the_grade_of_its_annotator():
    found, origin = rows(CASES / "prodigy.jsonl")
    assert [(row["question"], row["answer"]) for row in found] == [
        (f"Q{n}?", f"A{n}") for n in range(8)
    ]
    assert found[0]["item_id"] == "100"
    given = [(n, grade) for n, row in enumerate(found) for grade in grades(row)]
    assert given == [
        (n, ("annotator", who, "choice", choice))
        for n, who, choice in (
            *((0, "ann-1", "0"), (1, "ann-2", "1"), (4, "ann-1", "0")),
            *((6, "ann-1", "2"), (7, "ann-2", "3")),
        )
    ]
    assert left_out(origin) == {
        ("tasks' grades", 2, "the annotator rejected or ignored the task"),
        ("tasks' grades", 1, "they have no single value"),
    }


@pytest.mark.parametrize(("verdict", "score"), [("accept", True), ("reject", False)])
def test_without_options_the_verdict_is_the_grade(verdict, score):
    task = {key: one for key, one in TASKS[0].items() if key not in ("options", "accept", "text")}
    task |= {"answer": verdict, "label": "right", "html": "<b>A</b>", "_annotator_id": None}
    (row,), _ = read([task])
    assert (row["answer"], grades(row)) == ("<b>A</b>", [("annotator", "s", "right", score)])


def test_marked_spans_several_choices_and_no_question_give_no_grade():
    several = {**TASKS[0], "accept": ["0", "1"]}
    marked = {key: one for key, one in TASKS[1].items() if key != "options"} | {"spans": []}
    del marked["accept"]
    without = {key: one for key, one in TASKS[2].items() if key != "question"}
    found, origin = read([several, marked, without])
    assert [grades(row) for row in found] == [[], []]
    assert left_out(origin) == {
        ("tasks' grades", 2, "they have no single value"),
        ("tasks", 1, "they have no question"),
    }
