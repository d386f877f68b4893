"""Grades of a tool's export go to the stored answers with their question and text."""

import json
from pathlib import Path

from concord.importing import answer_file, grade_file, sheet_import
from concord.importing.recognition import open_grades_of
from concord.rubrics.model import presets
from concord.store import sheets
from concord.store.items import item_keys

EXPORTS = Path(__file__).parent / "tools" / "exports"
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


def stored(store, *more):
    rows = (",".join((*row, "So.")) for row in (*ROWS, *more))
    lines = ["id,question,answer,model,reference", *rows]
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
