"""Langfuse traces, built from its documented schemas: no server wrote these files."""

from tests.support.exports import left_out, rows

AVERAGED = (
    "the export of traces averages them and drops their authors: export the scores too, and import "
    "them with “grades”"
)


def test_a_trace_is_an_answer_and_averaged_scores_are_refused():
    found, origin = rows("langfuse_traces.json")
    assert [(row["item_id"], row["question"], row["answer"]) for row in found] == [
        ("t1", "When does the pump start?", "At 40 °C."),
        ("t2", "When does the pump stop?", "Never."),
    ]
    assert "grades" not in found[0]
    assert left_out(origin) == {
        ("traces' scores", 1, AVERAGED),
        ("traces", 1, "they have no output"),
    }
