"""Label Studio tasks, built from its documented export: no server wrote this file."""

import json

from concord.importing.recognition.recognise import recognised
from tests.support.exports import grades, left_out, parsed, rows


def test_a_task_is_an_answer_with_the_grades_of_its_annotators():
    found, origin = rows("label_studio.json")
    assert [(row["item_id"], row["question"], row["answer"], row["topic"]) for row in found] == [
        ("11", "When does the pump start?", "At 40 °C.", "pump"),
        ("12", "When does the pump stop?", "Never.", "pump"),
    ]
    assert grades(found[0]) == [
        ("judge", "prediction judge-2", "correctness", 5),
        ("annotator", "ana@example.org", "correctness", 4),
        ("annotator", "ana@example.org", "verdict", "correct"),
        ("annotator", "7", "correctness", 2),
    ]
    assert grades(found[1]) == [("annotator", "7", "correctness", 1)]
    assert left_out(origin) == {
        ("annotations", 1, "the annotator skipped the task"),
        ("results", 2, "they mark parts of a text, or have several values"),
        ("tasks", 1, "they have no question or no answer"),
    }


def test_a_text_is_the_reason_and_a_prediction_is_seen():
    found, _ = rows("label_studio.json")
    ana = found[0]["grades"][1]
    assert (ana["reason"], ana["blind"]) == ("By the manual.\nPage 3.", False)
    assert "blind" not in found[1]["grades"][0]


def test_tasks_of_no_answers_are_left_to_the_reader_of_tables():
    tasks = parsed("label_studio.json")
    for task in tasks:
        task["data"] = {"text": "A sentence."}
    assert recognised(json.dumps(tasks).encode(), "tasks.json") is None
