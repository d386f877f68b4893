"""The table of grade columns: which are taken, of which criterion, and who graded."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import pandas as pd
import streamlit as st

from concord.importing import column_paths
from concord.messages import Problem, said
from concord.ui.language import say, word
from concord.ui.mapping_start import GradeRow

KINDS = {
    "annotator": said("annotator"),
    "judge": said("judge"),
    "mean": said("mean of annotators"),
    "metric": said("metric"),
}
_FROM = said("from column {column}")
_SHOWN_ROWS, _ROW_PX = 8, 35
_CELLS = ("take", "column", "criterion", "grader", "kind", "why")


def grade_columns_table(
    rows: Sequence[GradeRow], key: str, criteria: Mapping[str, str] | None = None
) -> list[str]:
    """Edit the rows and return those that are taken, as words of a column map.

    Args:
        rows: The rows before the user changes them.
        key: Of the widget; another start needs another one.
        criteria: The titles of the criteria to choose from, by name; any where there are none.

    Raises:
        Problem: a column is taken without a criterion or a grader.
    """
    given = [_cells(row) for row in rows]
    before = st.session_state.get(f"{key}.edited")
    start = edited_before(given, before)
    frame = pd.DataFrame(start, columns=list(_CELLS))
    edited = st.data_editor(
        frame,
        key=key,
        hide_index=True,
        num_rows="fixed",
        disabled=("column", "why"),
        column_order=_CELLS if any(frame["why"]) else _CELLS[:-1],
        column_config=_config(criteria or {}),
        placeholder=say("Choose"),
        height=_ROW_PX * (min(len(rows), _SHOWN_ROWS) + 1) + 3,
        alt=say("Columns that may hold grades"),
    )
    read = [
        tuple(None if pd.isna(cell) else cell for cell in cells)
        for cells in edited.itertuples(index=False, name=None)
    ]
    known = before.read if before else {}
    now = known | {cells[1]: (old, cells) for old, cells in zip(given, read, strict=True)}
    st.session_state[f"{key}.edited"] = Edited(given, start, now)
    return words(GradeRow(*cells) for cells in read)


class Edited(NamedTuple):
    """The cells of a table as given and as it began, and by column as given and as edited."""

    given: list[tuple]
    start: list[tuple]
    read: Mapping[str, tuple[tuple, tuple]]


def edited_before(given: list[tuple], before: Edited | None) -> list[tuple]:
    """The cells that a table begins with, where a table of other columns may have been edited.

    The same columns begin as they did, since the editor itself keeps what the user changes.
    """
    if before is None:
        return given
    if before.given == given:
        return before.start
    found = []
    for cells in given:
        old, new = before.read.get(cells[1], (cells, cells))
        parts = zip(cells, old, new, strict=True)
        found.append(tuple(cell if was == is_now else is_now for cell, was, is_now in parts))
    return found


def _cells(row: GradeRow) -> tuple:
    criterion, grader = _shown(row.criterion) or None, _shown(row.grader)
    return (row.take, row.column, criterion, grader, row.kind or None, word(row.reason))


def words(rows: Iterable[GradeRow]) -> list[str]:
    """The rows that are taken, as `score:KIND:GRADER:CRITERION=COLUMN` words.

    Raises:
        Problem: a column is taken without a criterion, under one with a colon, or without a kind
            or the name of an annotator.
    """
    found = []
    for row in rows:
        if not row.take:
            continue
        criterion = _named(row.criterion)
        if not criterion or ":" in criterion:
            raise Problem(
                "“{column}” has no criterion. Name it in the table."
                if not criterion
                else "The criterion of “{column}” contains a colon. Name it without one.",
                column=row.column,
            )
        named = _named(row.grader)
        if row.kind not in KINDS or (row.kind == "annotator" and not named):
            raise Problem(
                "“{column}” has no grader, or no kind of grader. Name both in the table.",
                column=row.column,
            )
        grader = named or row.column
        found.append(f"score:{row.kind}:{grader}:{criterion}={row.column}")
    return found


def _config(criteria: Mapping[str, str]) -> dict:
    criterion = {
        "label": say("Criterion"),
        "help": say("The criterion that was graded. Double-click to edit."),
    }
    return {
        "take": st.column_config.CheckboxColumn(say("Import"), width=72),
        "column": st.column_config.TextColumn(say("Column")),
        "criterion": st.column_config.SelectboxColumn(
            options=list(criteria), format_func=lambda name: word(criteria[name]), **criterion
        )
        if criteria
        else st.column_config.TextColumn(**criterion),
        "grader": st.column_config.TextColumn(
            say("Grader"),
            help=say(
                "Who graded: a name, or “{example}” to read it from that column in each row.",
                example=say(_FROM, column="X"),
            ),
        ),
        "kind": st.column_config.SelectboxColumn(
            say("Kind"),
            options=list(KINDS),
            format_func=lambda kind: say(KINDS[kind]),
            required=True,
            help=say("Annotator (a human), judge (an LLM), mean of several annotators, or metric."),
        ),
        "why": st.column_config.TextColumn(say("Why"), width="medium"),
    }


def _shown(name: str) -> str:
    """A name as the table shows it; `{COLUMN}` in words."""
    column = column_paths.key_name(name)
    return say(_FROM, column=column) if column else name


def _named(text: str | None) -> str:
    """The name that a cell of the table gives, with `{COLUMN}` for one read from a column."""
    text = (text or "").strip()
    if column_paths.key_name(text):
        return text
    before, _, after = say(_FROM, column="\0").partition("\0")
    if not (text.startswith(before) and text.endswith(after)):
        return text
    return f"{{{text.removeprefix(before).removesuffix(after).strip()}}}"
