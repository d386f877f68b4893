"""Grades of a tool's export go to the stored answers with their question and text."""

import json
from pathlib import Path

import pytest

from concord.importing import answer_file, grade_file, sheet_import
from concord.importing.readers.formats import open_table
from concord.importing.recognition.stored_answers import id_words, open_grades_of, stored_id_words
from concord.model import answer_key, item_key, question_key
from concord.rubrics.model import presets
from concord.store import sheets
from concord.store.items import item_keys

EXPORTS = Path(__file__).parents[1] / "tools" / "exports"
RUBRIC = presets()["doc-qa-0-1"]
ROWS = (("a1", "When?", "At six.", "gpt"), ("a2", "Where?", "Here.", "gpt"))


def promptfoo(*rows) -> bytes:
    results = [
        {
            "id": f"uuid-{n}",
            "testIdx": n,
            "promptIdx": 0,
            "vars": {"question": question},
            "provider": {"id": f"openai:{model}", "label": model},
            "response": {"output": answer},
            "gradingResult": {
                "componentResults": [
                    {
                        "assertion": {"type": "llm-rubric", "metric": "correctness"},
                        "score": 1,
                        "pass": True,
                    }
                ]
            },
        }
        for n, (_, question, answer, model) in enumerate(rows)
    ]
    return json.dumps({"evalId": "e", "results": {"results": results}}).encode()


def stored(store):
    lines = ["id,question,answer,model,reference", *(",".join((*row, "So.")) for row in ROWS)]
    read = answer_file.load("\n".join(lines).encode(), "s.csv")
    sheet_import.take_sheet(store, read, "s")
    return sheets.find(store, "s")


def items_of(table) -> list[str]:
    place = table.columns.index("item_id")
    return [record.cells[place] for record in table.records()]


def test_grades_of_promptfoo_go_to_the_answers_that_are_stored(store):
    sheet = stored(store)
    table = open_grades_of(store, lambda: sheet, promptfoo(*ROWS), "results.json")
    read = grade_file.read(
        table,
        grade_file.column_map(table.columns, (), grade_file.GRADE_FIELDS),
        RUBRIC,
        item_keys(store, sheet.id),
    )
    assert (len(read.grades), read.bad_rows, table.origin.of) == (2, [], "grades")
    assert items_of(table) == ["a1", "a2"]


def test_columns_of_an_export_without_a_stored_answer_may_be_mapped(store):
    sheet = stored(store)
    name = "label_studio.csv"
    table = open_grades_of(store, lambda: sheet, (EXPORTS / name).read_bytes(), name)
    assert table.origin is None


def test_ids_of_questions_are_no_ids_of_answers_where_each_question_has_several(store):
    lines = [f"q{n},When?,At {m}.,{m}" for n in range(3) for m in ("gpt", "opus")]
    file = "\n".join(["question_id,question,answer,model", *lines]).encode()
    sheet_import.take_sheet(store, answer_file.load(file, "s.csv"), "s")
    grades = open_table(b"Ticket ID,Bot,OK\nq0,gpt,1\nq1,opus,0\n", "g.csv")
    words = stored_id_words(store, sheets.find(store, "s"), grades)
    assert words == ["question_id=Ticket ID", "item_id=", "answer_model=Bot"]


STORED = {item_key(f"q{n}") for n in range(9)} | {item_key(f"{n}") for n in range(9)}


@pytest.mark.parametrize(
    ("lines", "column"),
    [
        (("Ref #,OK?", "q1,yes", "q2,no", "q3,yes"), "Ref #"),
        (("id,Ref #,OK?", "a,q1,yes", "b,q2,no"), "Ref #"),  # the name alone is no id of the sheet
        (("id,Ref #,OK?", "q1,q1,yes", "q2,q2,no"), None),  # the named column holds them too
        (("Ref #,OK?", "q1,yes", "x2,no", "q3,yes"), None),
        (("Helpful,Note", "1,a", "2,b", "2,c", "1,d"), None),  # scores are no ids
        (("A,B", "q1,q2", "q2,q1"), None),
    ],
)
def test_a_column_is_the_item_id_by_its_values(lines, column):
    words = [f"item_id={column}"] if column else []
    assert id_words(open_table("\n".join(lines).encode(), "g.csv"), STORED) == words


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (("Ref #,OK?", "q1,yes", "q2,no"), ["item_id=Ref #"]),
        (
            ("Ticket ID,Bot,OK?", "F1,a,yes", "F2,b,no"),
            ["question_id=Ticket ID", "item_id=", "answer_model=Bot"],
        ),
        (("Nr,OK?", "F1,yes", "F2,no"), ["question_id=Nr"]),
        (("Nr,OK?", "F1,yes", "F9,no"), []),
        (("id,Nr,OK?", "q1,F1,yes", "q2,F2,no"), []),  # the named column says which answer it is
        (("question,Nr,OK?", "Why?,F1,yes", "How?,F2,no"), []),
    ],
)
def test_columns_of_stored_questions_and_models_are_known_by_their_values(lines, words):
    keys = {answer_key(question_key(q, ""), m) for q in ("F1", "F2") for m in ("a", "b")}
    assert id_words(open_table("\n".join(lines).encode(), "g.csv"), STORED | keys) == words
