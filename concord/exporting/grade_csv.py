"""Grades of a sheet as CSV: one row each, for a spreadsheet, that `grades` reads back."""

from collections.abc import Mapping, Sequence
from typing import Any

from concord.importing.readers import formula_escaping

# Columns with what each holds in a row of `exported_tables.GRADES`; `item_id` is as shown.
_COLUMNS = {
    name: name
    for name in (
        *("item_id", "question_id", "question", "cluster", "answer_model", "grader"),
        *("grader_kind", "criterion", "score", "status", "reason", "quote", "marked_passages"),
        *("blind", "repeat", "seconds", "rubric_language", "simulated", "probabilities"),
        *("outside_mass", "probabilities_source"),
    )
} | {"criterion_version": "version", "graded_at": "created_at"}


def content(rows: Sequence[Mapping[str, Any]], names: Mapping[int, str]) -> bytes:
    """Return the file, with a byte order mark for spreadsheets.

    Args:
        rows: Rows of `exported_tables.GRADES`.
        names: What each answer is called, by item id (`items.answer_names`).
    """
    cells = ([_cell(row, key, names) for key in _COLUMNS.values()] for row in rows)
    return formula_escaping.to_csv([*_COLUMNS], cells).encode("utf-8-sig", errors="replace")


def _cell(row: Mapping[str, Any], key: str, names: Mapping[int, str]) -> Any:
    if key == "item_id":
        return names[row["item_row"]]
    value = row[key]
    if key == "grader_kind":
        return "annotator" if value == "person" else value
    return whole(value) if key == "score" else value


def whole(score: float | None) -> float | None:
    """Return a score, an integer where it is one."""
    return int(score) if score is not None and score == int(score) else score
