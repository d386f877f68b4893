"""Importing answers in the browser: choose a file, see what it holds, say what to take."""

import pandas as pd
import streamlit as st

from concord.importing.answer_columns import preview
from concord.importing.answer_file import AnswerSheet, read
from concord.importing.columns import ColumnMap
from concord.importing.readers.table import Table
from concord.messages import counted, said
from concord.rubrics.model import FIRST, Rubric
from concord.store.database import Store
from concord.store.rubrics import rubric_versions
from concord.ui import import_findings
from concord.ui.actions import refusals
from concord.ui.column_mapping import item_columns
from concord.ui.language import plain, say
from concord.ui.screens.data import import_trec
from concord.ui.screens.data.sheet_intake import KEY, take
from concord.ui.upload import choice, opened, uploaded


def import_sheet(store: Store) -> None:
    """The whole way from a file to a stored sheet."""
    file = uploaded(KEY, "import")
    if file is None:
        return
    with refusals():
        table, trec = import_trec.beside(opened(file, KEY), KEY)
        rubric = _rubric(store)
        columns = _columns(table, f"{KEY}.{file.file_id}{''.join(map(str, trec))}", rubric)
        found = _read(table, columns, rubric, trec)
        _report(found)
        take(store, found, rubric if columns.scores else None)


def _rubric(store: Store) -> Rubric:
    """The rubric that grades inside the sheet are read under, as chosen further down."""
    name = st.session_state.get(f"{KEY}.rubric") or FIRST
    return rubric_versions.named(store, name)[1]


def _columns(table: Table, key: str, rubric: Rubric) -> ColumnMap:
    with st.container(border=True):
        st.markdown(say("**Which column is which**"))
        columns = item_columns(table, key, rubric)
        rows = preview(table, columns, 3)
        if rows:
            st.caption(say("The first rows, as they would be taken:"))
            st.dataframe(pd.DataFrame(rows), hide_index=True, row_height=44)
    return columns


def _read(table: Table, columns: ColumnMap, rubric: Rubric, trec: tuple) -> AnswerSheet:
    wanted = (*choice(KEY), trec, columns.spoken(), rubric.body() if columns.scores else "")
    return import_findings.read_once(
        KEY,
        wanted,
        lambda: read(table, columns, rubric if columns.scores else None),
        said("Checking every row…"),
    )


def _report(found: AnswerSheet) -> None:
    """Show the contents of the file, then errors, then remarks."""
    bad = found.refused()
    models = {item.answer_model for item in found.items} - {None}
    questions = {item.question_key for item in found.items}
    title = said(
        "{answers} to {questions} by {models} models, all good"
        if len(models) > 1
        else "{answers} to {questions}, all good",
        answers=counted(len(found.items), "answer"),
        questions=counted(len(questions), "question"),
        models=len(models),
    )
    st.subheader(say(import_findings.refused(bad, found.rows) if bad else title), anchor=False)
    if found.grades:
        graders = plain(", ".join(sorted({grade.grader for grade in found.grades})))
        st.caption(say("With {n:,} grades by {graders}.", n=len(found.grades), graders=graders))
    if bad:
        import_findings.bad_rows(found.bad_rows, found.table.source.stem)
    for flag in found.flags:
        rows = ", ".join(map(str, dict.fromkeys(flag.rows)))
        rows += "…" if flag.count > len(flag.rows) else ""
        st.caption(
            say(
                ":material/flag: {sentence} (rows {rows})", sentence=plain(flag.sentence), rows=rows
            )
        )
