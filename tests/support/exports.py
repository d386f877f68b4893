"""Exports of other tools, read by recognition."""

import json
from pathlib import Path

from concord.importing.recognition.recognise import recognised

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
    names = ("kind", "grader", "criterion", "score")
    return [tuple(one.get(name) for name in names) for one in row.get("grades") or ()]


def left_out(origin):
    """What is left out as (what, count, reason)."""
    return {(one.what, one.count, one.reason) for one in origin.left_out}
