"""Paths, placeholders and constants: every answer and grade of a nested file, and nothing else."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from concord.importing import answer_file
from concord.importing.columns import ScoreColumn, column_map, opened
from concord.importing.fields import GRADE_FIELDS
from concord.importing.readers.formats import open_table
from concord.messages import Problem
from concord.rubrics import model as rubrics
from tests.support.files import OBJECTS

RUBRIC = rubrics.presets()["doc-qa-0-3"]


def read(rows, *said, name="s.json", rubric=RUBRIC):
    data = rows if isinstance(rows, bytes) else json.dumps(rows).encode()
    return answer_file.load(data, name, said, rubric)


def test_a_file_of_grades_takes_constants_and_paths():
    table = open_table(b'[{"item_id": "1", "out": {"g": 2}, "by": "gpt"}]', "g.json")
    columns = column_map(table.columns, ["grader=by", "score=out.g", "grader_kind:=judge"],
                         GRADE_FIELDS)  # fmt: skip
    assert columns.column("grader_kind") == ":=judge"
    (record,) = opened(table, columns).records()
    assert record.cells == ("1", "2", "gpt", "judge")


def test_a_grader_column_is_read_back_as_it_was_said():
    columns = column_map(("q", "s", "who"), ["score:metric:{who}:a:b=s"])
    assert columns.scores == (ScoreColumn("s", "metric", "{who}:a", "b"),)


WORDS = st.sampled_from(
    [
        "answer=answer.{m}", "answer=a.{m}.text", "answer=b.c", "question=question",
        "question=a.question", "contexts=a.{m}", "question=a.0.text", "answer=text.{m}.{n}",
        "score:judge:{g}:correctness=a.{m}.{g}", "score:judge:j:correctness=answer.{m}",
        "score:annotator:{a}:correctness=text", "answer_model:=x", "answer={k}.c", "grader=a",
        "score=a.{n}.text", "score=a.{n}.a.{m}.text", "grader=a.{n}.b.c", "criterion=a.{n}.x y",
        "reason=a.{n}.a.{text=é}.text", "reason=a.{g}", "criterion:x=", "grader=text",
        "score=a.b", "grader_kind:=judge", "criterion:=correctness", "reference=a.0", "turns=a.b",
    ]
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(OBJECTS, st.lists(WORDS, max_size=5))
def test_any_map_of_any_file_is_read_or_refused_in_one_sentence(rows, said):
    try:
        found = read(rows, *said)
    except Problem as refused:
        assert str(refused)
        return
    assert found.rows == len(rows)
    assert len({item.identity for item in found.items}) == len(found.items)
    assert {grade.item_key for grade in found.grades} <= {item.identity for item in found.items}
