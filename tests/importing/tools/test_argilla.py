"""Argilla records, built from its documented export: no server wrote this file."""

from tests.support.exports import grades, left_out, rows


def test_a_record_is_an_answer_with_responses_and_suggestions():
    found, origin = rows("argilla.json")
    assert [(row["item_id"], row["question"], row["answer"]) for row in found] == [
        ("r1", "When does the pump start?", "At 40 °C."),
        ("r2", "When does the pump stop?", "Never."),
    ]
    assert (found[0]["source"], found[0]["metadata.topic"]) == ("manual", "pump")
    assert grades(found[0]) == [
        ("judge", "gpt-4.1-mini", "correctness", 3),
        ("annotator", "ana", "correctness", 3),
        ("annotator", "ana", "verdict", "good"),
    ]
    assert grades(found[1]) == [("annotator", "bo", "correctness", 0)]
    assert left_out(origin) == {
        ("responses", 1, "they are discarded or drafts"),
        ("responses", 1, "they have no single value"),
        ("records", 1, "they have no question or no answer"),
    }


def test_a_comment_is_the_reason_and_a_suggestion_is_seen():
    found, _ = rows("argilla.json")
    _, rated, verdict = found[0]["grades"]
    assert (rated["reason"], rated["blind"]) == ("It is as the manual says.", False)
    assert "blind" not in verdict and "blind" not in found[1]["grades"][0]
