"""A sheet of answers that other tools know by their ids, with grades by people and a judge."""

from concord.model import Sheet
from concord.store import additions
from concord.store.database import Store
from concord.store.rubrics import rubric_versions
from tests.support.made_items import made_item
from tests.support.panels import give

TRACE, SPAN = "tr-" + "a" * 32, "b" * 16
REASON = '"quoted"\n{{ 回答 }} \\ \x07'


def graded_traces(store: Store, trace: str = TRACE) -> Sheet:
    """Three answers, two of them known to tools, with grades by Ana, Ben and a judge."""
    made = [
        made_item(0, own_id=trace, metadata={"span_id": SPAN}),
        made_item(1, own_id="s 1 epoch 2", metadata={"trace_id": "c" * 32}),
        made_item(2),
    ]
    sheet = additions.add(store, "traces", made, "t.csv", "7" * 64, {})
    rubric = rubric_versions.named(store, "doc-qa-0-3")[1]
    for name, kind, scores in (
        ("Ana", "person", {0: 3, 1: 0, 2: 2}),
        ("Ben", "person", {0: 1}),
        ("careful", "judge", {0: 2, 1: 1}),
    ):
        give(store, rubric, name, scores, "correctness", kind)
    with store.write():
        store.execute("update grades set reason = ?", (REASON,))
    return sheet
