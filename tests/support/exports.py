"""Exports of other tools, read by recognition.

A sheet of answers that other tools know by their ids, with grades by people and a judge.
"""

import json
from pathlib import Path

from concord.importing.recognition import recognised
from concord.model import Sheet
from concord.store import additions
from concord.store.database import Store
from concord.store.rubrics import rubric_versions
from tests.support.made_items import made_item
from tests.support.panels import give

FOLDER = Path(__file__).parents[1] / "importing" / "tools" / "exports"
CASES = FOLDER.parents[1] / "cases"


def parsed(name):
    """An export as parsed JSON."""
    return json.loads((FOLDER / name).read_text(encoding="utf-8"))


def rows(given, name=""):
    """The rows of a recognised export as objects, and its origin."""
    table = recognised(FOLDER / given if isinstance(given, str) else given, name)
    assert table is not None
    columns = table.columns
    return [dict(zip(columns, one.cells, strict=True)) for one in table.records()], table.origin


def grades(row):
    """The grades of a row as (kind, grader, criterion, score)."""
    names = ("grader_kind", "grader", "criterion", "score")
    return [tuple(one.get(name) for name in names) for one in row.get("grades") or ()]


def left_out(origin):
    """What is left out as (what, count, reason)."""
    return {(one.what, one.count, one.reason) for one in origin.left_out}


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
