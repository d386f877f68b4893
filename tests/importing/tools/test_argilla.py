"""Records that Argilla 2.8 wrote (tests/interop/write_argilla.py)."""

from tests.support.exports import grades, left_out, rows

ANA, BO = (f"00000000-0000-0000-0000-00000000000{n}" for n in (1, 2))


def test_a_record_is_an_answer_with_responses_and_suggestions():
    found, origin = rows("argilla.json")
    asked = [(row["item_id"], row["question"], row["answer"], row["answer_model"]) for row in found]
    assert asked == [
        ("r1", "When does the pump start?", "At 40 °C.", "atlas"),
        ("r2", "When does the pump stop?", "Never.", "atlas"),
    ]
    assert (found[0]["source"], found[0]["topic"]) == ("manual", "pump")
    assert grades(found[0]) == [
        ("judge", "gpt-4.1-mini", "correctness", 3),
        ("annotator", ANA, "correctness", 3),
        ("annotator", ANA, "verdict", "good"),
    ]
    assert grades(found[1]) == [("annotator", BO, "correctness", 0)]
    assert left_out(origin) == {
        ("responses", 2, "they were not submitted"),
        ("responses", 1, "they have no single value"),
        ("records", 1, "they have no question or no answer"),
    }


def test_a_comment_is_the_reason_and_a_suggestion_is_seen():
    found, _ = rows("argilla.json")
    _, rated, verdict = found[0]["grades"]
    assert (rated["reason"], rated["blind"]) == ("It is as the manual says.", False)
    assert "blind" not in verdict and "blind" not in found[1]["grades"][0]
