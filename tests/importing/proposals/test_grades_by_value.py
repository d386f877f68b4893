"""Grade columns by value: whose scores numbers under the name of a grader are."""

import json

from concord.importing import answer_file
from concord.importing.columns import column_map
from concord.importing.proposals.accept import as_proposed
from concord.importing.proposals.grade_rubric import grade_rubric
from concord.importing.proposals.propose import propose
from concord.importing.readers.formats import open_table
from tests.support.annotations import ANSWERS, QUESTIONS
from tests.support.exports import CASES, FOLDER


def grades(rows):
    """What is proposed for columns next to questions and answers."""
    pairs = zip(QUESTIONS, ANSWERS, rows, strict=True)
    told = [{"question": question, "answer": answer} | row for question, answer, row in pairs]
    found = propose(open_table(json.dumps(told).encode(), "s.json"))
    assert not found.doubts
    return [(grade.column, grade.kind, grade.grader) for grade in found.grades]


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
