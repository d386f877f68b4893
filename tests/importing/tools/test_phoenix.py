"""Phoenix spans, built from its documented schema: no server wrote this file."""

from tests.support.exports import grades, left_out, rows


def test_a_span_is_an_answer_with_flat_or_nested_attributes():
    found, _ = rows("phoenix.json")
    assert [(row["question"], row["answer"], row["answer_model"]) for row in found] == [
        ("When does the pump start?", "At 40 °C.", "atlas"),
        ("When does it stop?", "Never.", "atlas"),
    ]
    assert found[0]["contexts"] == ["It starts at 40 °C."]


def test_annotations_are_grades_by_identifier_and_kind():
    found, origin = rows("phoenix.json")
    assert grades(found[0]) == [
        ("annotator", "ana", "correctness", 1),
        ("annotator", "bo", "correctness", 0),
        ("judge", "correctness (gpt-4.1-mini)", "correctness", 1),
        ("metric", "length", "length", 0.3),
    ]
    assert grades(found[1]) == [("annotator", "u-ana", "correctness", "incorrect")]
    assert left_out(origin) == {
        ("annotations", 1, "they have no known kind, or neither score nor label"),
        ("spans", 1, "they are within a trace and not annotated"),
        ("spans", 1, "they have no output"),
    }
