"""Answer sheets: good items, bad rows by number and column, and nothing changed on the way."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from concord.importing import answer_file
from concord.importing.columns import ScoreColumn, column_map, opened
from concord.importing.fields import GRADE_FIELDS
from concord.importing.item_rows import READERS
from concord.importing.readers.formats import open_table
from concord.messages import Problem
from concord.model import EXTRA_FIELDS
from concord.rubrics import model as rubrics
from tests.support import effort
from tests.support.files import OBJECTS, csv_bytes
from tests.support.rubrics import rubric


def load(*rows, mapped=(), using=None):
    return answer_file.load(csv_bytes(*rows), "s.csv", mapped, using)


HEADER = ("item_id", "question", "answer", "model")


@pytest.mark.parametrize(
    "cell, texts",
    [
        ("One.", ["One."]),
        ("", []),
        ("[]", []),
        ('["One.", "Two [2]."]', ["One.", "Two [2]."]),
        ("['One.', \"It's two.\"]", ["One.", "It's two."]),
        ("['One.' 'Two.'\n 'Three.']", ["One.", "Two.", "Three."]),
        ('["One.", ""]', ["One.", ""]),
        ("[1] See the manual [2]", ["[1] See the manual [2]"]),
        ("[2023]", ["[2023]"]),
        ("{not json}", ["{not json}"]),
        ("['一。', '二。']", ["一。", "二。"]),
    ],
)
def test_contexts_come_as_text_or_as_any_common_list(cell, texts):
    (item,) = load(("question", "answer", "contexts"), ("Q", "A", cell)).items
    assert [context.text for context in item.contexts] == texts


def test_an_answer_cut_off_by_a_spreadsheet_is_flagged():
    assert load(HEADER, ("1", "Q", "x" * 32_767, "m")).flags["cut_off"] == 1


def test_a_grade_in_the_sheet_finds_its_item_without_any_id():
    read = load(
        ("question", "answer", "s"),
        ("Q", "A", "2"),
        mapped=["score:judge:j:correctness=s"],
        using=rubric(),
    )
    assert read.grades[0].item_key == read.items[0].identity


def many(rows):
    """A file of so many answers."""
    made = [
        (f"q{n // 4}", f"Question {n // 4}?", f"Answer {n} 答え", f"m{n % 4}") for n in range(rows)
    ]
    return csv_bytes(("question_id", "question", "answer", "model"), *made)


def test_a_hundred_thousand_rows_are_read_whole():
    read = answer_file.load(many(100_000), "s.csv")
    assert (len(read.items), read.bad_rows) == (100_000, [])


def test_the_work_of_reading_grows_with_the_rows_and_no_faster():
    files = [many(rows) for rows in (500, 500, 4000)]  # the first fills what is kept for later
    _, small, large = (
        effort.calls(lambda file=file: answer_file.load(file, "s.csv")) for file in files
    )
    assert small > 500 and large < 8.5 * small


def test_every_extra_field_of_an_answer_is_read_from_a_file():
    assert READERS.keys() == EXTRA_FIELDS


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
        "reason=a.{g}", "criterion:x=", "grader=text",
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
