"""Grade columns by value: whose scores numbers under the name of a grader are."""

import json

import pytest

from concord.importing import answer_file
from concord.importing.columns import column_map
from concord.importing.default_rubric import grade_rubric
from concord.importing.proposals.accept import as_proposed
from concord.importing.proposals.propose import propose
from concord.importing.readers.formats import open_table
from tests.support.exports import CASES, FOLDER
from tests.support.files import ANSWERS, QUESTIONS, REASON, scored_traces, tasks


def test_scores_without_answers_read_as_a_plain_table_are_proposed_without_a_crash():
    """Langfuse scores name their author in some rows, and have no answer in any."""
    assert propose(open_table(FOLDER / "langfuse_scores_v3.json")).grades is not None


def test_a_file_of_metrics_is_read_without_an_annotator():
    table = open_table(CASES / "metric_columns.csv")
    columns = column_map(table.columns, as_proposed(table, ()))
    made = grade_rubric(table, columns, [], {})
    read = answer_file.read(table, made.columns, made.fit.rubric, made.words)
    assert {(one.grader_kind, one.grader) for one in read.grades} == {
        ("metric", name) for name in table.columns[4:]
    }
    assert len(read.grades) == 30


def of(rows):
    return open_table(json.dumps(rows).encode(), "s.json")


def taken(rows):
    """What is imported as proposed."""
    table = of(rows)
    columns = column_map(table.columns, propose(table).spoken())
    found = grade_rubric(table, columns, [], {})
    return answer_file.read(table, found.columns, found.fit.rubric, found.words)


def with_list(name, cells):
    return [{"question": QUESTIONS[n], "answer": ANSWERS[n], name: cells(n)} for n in range(12)]


def test_tasks_of_an_annotation_tool_have_one_annotator_per_completed_by():
    assert {word for word in propose(of(tasks())).spoken() if "annotations" in word} == {
        "score=annotations.{n}.result.{m}.value",
        "grader=annotations.{n}.completed_by",
        "criterion=annotations.{n}.result.{m}.from_name",
        "reason=annotations.{n}.result.{from_name=comment}.value",
    }
    read = taken(tasks())
    assert not read.bad_rows
    assert {(g.grader, g.grader_kind, g.criterion) for g in read.grades} == {
        ("3", "person", "accuracy"), ("7", "person", "accuracy"),
    }  # fmt: skip
    assert [g.score for g in read.grades if g.grader == "7"] == [1 + (n + 1) % 5 for n in range(12)]
    assert [g.reason for g in read.grades if g.grader == "3"] == ["", REASON] * 6


def test_a_grader_without_a_name_is_called_by_its_kind():
    read = taken(scored_traces())
    assert not read.bad_rows
    assert {(g.grader, g.grader_kind) for g in read.grades} == {
        ("ana", "person"), ("ben", "person"), ("EVAL", "judge"),
    }  # fmt: skip
    assert {g.reason for g in read.grades} == {REASON}


@pytest.mark.parametrize(
    ("cells", "graders"),
    [
        (lambda n: [{"assessment_name": "tone", "source": {"source_type": kind, "source_id": who},
                     "feedback": {"value": n % 4}, "rationale": REASON, "span_id": None}
                    for who, kind in (("ana", "HUMAN"), ("gpt", "LLM_JUDGE"), ("len", "CODE"))],
         {("ana", "person"), ("gpt", "judge"), ("len", "metric")}),
        (lambda n: [{"name": "tone", "annotator_kind": kind, "identifier": who,
                     "result": {"label": "x", "score": n % 4, "explanation": REASON}}
                    for who, kind in (("ana", "HUMAN"), ("", "LLM"))],
         {("ana", "person"), ("LLM", "judge")}),
        (lambda n: [{"key": "tone", "score": n % 4, "value": None, "comment": REASON,
                     "feedback_source": {"type": kind, "user_id": who}}
                    for who, kind in (("ana", "app"), ("ben", "app"), (None, "model"))],
         {("ana", "person"), ("ben", "person"), ("model", "judge")}),
        (lambda n: [{"annotator": who, "criterion": "tone", "score": n % 4, "why": 1,
                     "comment": [REASON]} for who in ("ana", "ben")],
         {("ana", "person"), ("ben", "person")}),
    ],
)  # fmt: skip
def test_lists_of_records_of_grades_are_read_whatever_their_keys_are_called(cells, graders):
    read = taken(with_list("notes", cells))
    assert not read.bad_rows
    assert {(g.grader, g.grader_kind) for g in read.grades} == graders
    assert len(read.grades) == 12 * len(graders)
    assert {g.reason for g in read.grades} == {REASON}
