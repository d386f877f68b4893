"""First rows of a file as they are, and the first answers as they would be taken."""

from collections.abc import Mapping

import pandas as pd
import streamlit as st

from concord.importing.answer_columns import head
from concord.importing.preview import ANSWERS, Preview
from concord.importing.readers import cells as of_cell
from concord.importing.readers.table import Table
from concord.messages import joined, said
from concord.reports.workflow.import_preview import first_answers
from concord.ui import render
from concord.ui.language import plain, say

_IN_SIGHT = 6  # rows
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
    render.plain_table(pd.DataFrame(rows), said("The first rows"), _IN_SIGHT)


def show_taken(seen: Preview, titles: Mapping[str, str]) -> None:
    """Show what would be taken: the counts, and the first answers; `titles` are by criterion."""
    st.markdown(say("**Preview of the import:** {counts}", counts=plain(seen.sentence())))
    if seen.grades:
        st.caption(plain(_grades(seen, titles)))
    render.show_table(first_answers(seen.first, titles=titles), "preview")


def _grades(seen: Preview, titles: Mapping[str, str]) -> str:
    """The grades by criterion, and by whom."""
    by_title = {titles.get(name, name): n for name, n in seen.grades.items()}
    criteria, graders = (
        joined(", ", [said("{name} {n:,}", name=name, n=n) for name, n in counts.items()])
        for counts in (by_title, seen.annotators | seen.judges | seen.metrics)
    )
    return said(
        "Grades by criterion: {criteria}. By grader: {graders}.", criteria=criteria, graders=graders
    )


def _cut(text: str) -> str:
    return text if len(text) <= _CUT else f"{text[:_CUT]}…"
