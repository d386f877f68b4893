"""Exports that the converter of label-studio-sdk wrote (tests/interop/write_label_studio.py)."""

import json

from concord.importing.recognition.recognise import found_in, recognised
from tests.support.exports import FOLDER, grades, left_out, parsed, rows

TEXTS = "CSV does not tell a choice from a text of the task: export JSON instead"
SEVERAL = "they mark parts of a text, or have several values"


def test_a_row_of_json_min_is_an_annotation():
    found, origin = rows("label_studio_min.json")
    assert [(row["item_id"], row["question"], row["answer"], row["topic"]) for row in found] == [
        ("11", "When does the pump start?", "At 40 °C.", "pump"),
        ("11", "When does the pump start?", "At 40 °C.", "pump"),
        ("12", "When does the pump stop?", "Never.", "pump"),
    ]
    assert [one for row in found for one in grades(row)] == [
        ("annotator", "ana@example.org", "correctness", 4),
        ("annotator", "ana@example.org", "verdict", "correct"),
        ("annotator", "7", "correctness", 2),
        ("annotator", "7", "correctness", 1),
    ]
    assert found[0]["grades"][0]["reason"] == "By the manual.\nPage 3."
    assert left_out(origin) == {
        ("annotations", 1, "they have no question or no answer"),
        ("results", 1, SEVERAL),
    }


def test_answers_of_several_rows_are_counted_once():
    for name in ("label_studio_min.json", "label_studio.csv"):
        assert found_in(recognised(FOLDER / name)).answers == 2


def test_csv_has_the_ratings_and_says_that_choices_are_not_told_from_texts():
    found, origin = rows("label_studio.csv")
    assert [one for row in found for one in grades(row)] == [
        ("annotator", "ana@example.org", "correctness", 4),
        ("annotator", "7", "correctness", 2),
        ("annotator", "7", "correctness", 1),
    ]
    assert found[0]["verdict"] == "correct" and found[0]["topic"] == "pump"
    assert {("texts", 4, TEXTS), ("results", 1, SEVERAL)} <= left_out(origin)


def test_rows_without_a_question_are_left_to_the_reader_of_tables():
    given = parsed("label_studio_min.json")[-1:]
    assert recognised(json.dumps(given).encode(), "rows.json") is None
