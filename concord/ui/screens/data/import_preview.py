"""First rows of a file as they are, and the first answers as they would be taken."""

import pandas as pd
import streamlit as st

from concord.importing.answer_columns import head
from concord.importing.preview import ANSWERS, Preview
from concord.importing.readers import cells as of_cell
from concord.importing.readers.table import Table
from concord.messages import counted, joined, said
from concord.ui.language import plain, say

# So many rows are in sight, the others by scrolling in the table.
_IN_SIGHT, _ROW_PX = 6, 35
_CUT = 300


def raw_rows(table: Table) -> list[dict[str, str]]:
    """The first rows as text, long cells cut."""
    return [
        {
            column: _cut(of_cell.shown(cell))
            for column, cell in zip(table.columns, record.cells, strict=False)
        }
        for record in head(table, ANSWERS)
    ]


def show_raw(rows: list[dict[str, str]]) -> None:
    """Show rows as they are in the file."""
    st.dataframe(
        pd.DataFrame(rows), hide_index=True, height=_height(len(rows)), alt=say("The first rows")
    )


def show_taken(seen: Preview) -> None:
    """Show what would be taken: the counts, and the first answers."""
    st.markdown(say("**Preview of the import:** {counts}", counts=plain(_counts(seen))))
    if seen.grades:
        st.caption(plain(_grades(seen)))
    if not seen.first:
        return
    rows = [
        {
            say("question"): one.question,
            say("answer"): one.answer,
            say("answering model"): one.answer_model or "",
            say("contexts"): one.contexts,
            say("references"): one.references,
            say("also kept"): ", ".join(one.metadata),
        }
        for one in seen.first
    ]
    frame = pd.DataFrame(rows)
    frame = frame[[column for column in frame if any(frame[column])]]  # an empty one says nothing
    st.dataframe(
        frame,
        hide_index=True,
        height=_height(len(rows)),
        column_config={
            say("question"): st.column_config.TextColumn(width="medium"),
            say("answer"): st.column_config.TextColumn(width="large"),
        },
        alt=say("Preview: the first answers"),
    )


def _counts(seen: Preview) -> str:
    models = [name for name in seen.answer_models if name]
    return joined(
        ", ",
        [
            counted(seen.answers, "answer"),
            counted(seen.questions, "question"),
            models and counted(len(models), "answering model"),
            seen.annotators and counted(len(seen.annotators), "annotator"),
            seen.judges and counted(len(seen.judges), "judge"),
            seen.metrics and counted(len(seen.metrics), "metric"),
            seen.grades and counted(sum(seen.grades.values()), "grade"),
        ],
    )


def _grades(seen: Preview) -> str:
    """The grades by criterion, and by whom."""
    criteria, graders = (
        joined(", ", [f"{name} {n:,}" for name, n in counts.items()])
        for counts in (seen.grades, seen.annotators | seen.judges | seen.metrics)
    )
    return said(
        "Grades by criterion: {criteria}. By grader: {graders}.", criteria=criteria, graders=graders
    )


def _height(rows: int) -> int:
    return _ROW_PX * (min(rows, _IN_SIGHT) + 1) + 3


def _cut(text: str) -> str:
    return text if len(text) <= _CUT else f"{text[:_CUT]}…"
