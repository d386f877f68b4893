"""RAGAS annotations, built from the schema of its package: no app wrote this file."""

from concord.importing.recognition.recognise import found_in, recognised
from tests.support.exports import FOLDER, grades, left_out, rows


def test_a_target_is_the_grade_of_a_person_and_the_output_that_of_a_judge():
    found, origin = rows("ragas_annotations.json")
    assert [grades(row) for row in found] == [
        [
            ("judge", "ragas faithfulness", "faithfulness", 1.0),
            ("annotator", "RAGAS annotator", "faithfulness", 1),
        ],
        [
            ("judge", "ragas faithfulness", "faithfulness", 0.0),
            ("annotator", "RAGAS annotator", "faithfulness accepted", False),
        ],
        [
            ("metric", "ragas exact_match", "exact_match", 0.0),
            ("annotator", "RAGAS annotator", "exact_match accepted", True),
        ],
    ]
    assert left_out(origin) == {("edited outputs", 1, "they correct a step of the metric")}
    assert found[0]["contexts"] == ["The pump starts at 40 °C."]


def test_one_number_in_two_spellings_is_counted_once():
    assert found_in(recognised(FOLDER / "ragas_annotations.json")).values["faithfulness"] == {
        "1": 2,
        "0": 1,
    }
