"""Records that Argilla 2.8 wrote (tests/interop/write_argilla.py)."""

import io
import json

import pyarrow
import pyarrow.parquet
import pytest

from concord.importing.recognition.recognise import recognised
from concord.messages import Problem
from tests.support.exports import CASES, grades, left_out, rows

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


@pytest.mark.parametrize("count", [1, 3])
def test_nested_records_lack_the_status_and_are_refused(count):
    nested = json.loads((CASES / "argilla_nested.json").read_text(encoding="utf-8"))
    data = json.dumps(nested[:count]).encode()
    with pytest.raises(Problem, match="flatten=True"):
        recognised(data, "records.json")


FLAT = [
    {
        "id": "r1", "status": "completed", "_server_id": "s1", "prompt": "When?",
        "response": "At 40 °C.", "topic": "pump",
        "correctness.responses": [3, 1, 2], "correctness.responses.users": ["ana", "bo", "cem"],
        "correctness.responses.status": ["submitted", "draft", "submitted"],
        "correctness.suggestion": 3, "correctness.suggestion.score": 0.9,
        "correctness.suggestion.agent": "gpt-4.1-mini",
        "comment.responses": ["It is as the manual says."], "comment.responses.users": ["ana"],
        "comment.responses.status": ["submitted"],
    },
    {
        "id": "r2", "status": "pending", "_server_id": "s2", "prompt": "Why?",
        "response": "Heat.", "topic": None,
        "correctness.responses": None, "correctness.responses.users": None,
        "correctness.responses.status": None, "correctness.suggestion": None,
        "correctness.suggestion.score": None, "correctness.suggestion.agent": None,
        "comment.responses": None, "comment.responses.users": None,
        "comment.responses.status": None,
    },
]  # fmt: skip


def flat(form):
    """Flattened records in a file, with the numbers of Parquet as text."""
    if form == "json":
        return rows(json.dumps(FLAT).encode(), "records.json")
    held = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(FLAT), held)
    return rows(held.getvalue(), "records.parquet")


@pytest.mark.parametrize("form", ["json", "parquet"])
def test_lists_without_responses_and_numbers_of_parquet_are_read(form):
    found, origin = flat(form)
    assert [(row["item_id"], row["question"], row["answer"]) for row in found] == [
        ("r1", "When?", "At 40 °C."),
        ("r2", "Why?", "Heat."),
    ]
    assert [(*one[:3], str(one[3])) for one in grades(found[0])] == [
        ("judge", "gpt-4.1-mini", "correctness", "3"),
        ("annotator", "ana", "correctness", "3"),
        ("annotator", "cem", "correctness", "2"),
    ]
    ana = found[0]["grades"][1]
    assert (ana["reason"], ana["blind"]) == ("It is as the manual says.", False)
    assert not grades(found[1]) and found[0]["topic"] == "pump"
    assert left_out(origin) == {("responses", 1, "they were not submitted")}
