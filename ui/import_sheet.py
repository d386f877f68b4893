"""Importing answers in the browser: choose a file, see what it holds, say what to take."""

import pandas as pd
import streamlit as st

from data import intake, rubric_versions, sheets, tally
from data.counted import counted
from data.files.columns import ColumnMap
from data.files.table import Table
from data.intake import Intake
from data.sheet import AnswerSheet, preview, read
from data.sheet_rubric import FIRST
from data.store import Store
from problems import Problem
from rubrics.model import Rubric
from ui import import_trec, reading
from ui.frame import remember
from ui.mapping import item_columns
from ui.markdown import plain
from ui.upload import choice, opened, uploaded

KEY = "import"


def import_sheet(store: Store) -> None:
    """The whole way from a file to a stored sheet."""
    file = uploaded(KEY, "import")
    if file is None:
        return
    try:
        table, trec = import_trec.beside(opened(file, KEY), KEY)
        rubric = _rubric(store)
        columns = _columns(table, f"{KEY}.{file.file_id}{''.join(map(str, trec))}", rubric)
        found = _read(table, columns, rubric, trec)
        _report(found)
        _take(store, found, rubric if columns.scores else None)
    except Problem as problem:
        st.error(plain(str(problem)), icon=":material/error:")


def _rubric(store: Store) -> Rubric:
    """The rubric that grades inside the sheet are read under, as chosen further down."""
    name = st.session_state.get(f"{KEY}.rubric") or FIRST
    return rubric_versions.named(store, name)[1]


def _columns(table: Table, key: str, rubric: Rubric) -> ColumnMap:
    with st.container(border=True):
        st.markdown("**Which column is which**")
        columns = item_columns(table, key, rubric)
        rows = preview(table, columns, 3)
        if rows:
            st.caption("The first rows, as they would be taken:")
            st.dataframe(pd.DataFrame(rows), hide_index=True, row_height=44)
    return columns


def _read(table: Table, columns: ColumnMap, rubric: Rubric, trec: tuple) -> AnswerSheet:
    wanted = (*choice(KEY), trec, columns.spoken(), rubric.body() if columns.scores else "")
    return reading.read_once(
        KEY,
        wanted,
        lambda: read(table, columns, rubric if columns.scores else None),
        "Checking every row…",
    )


def _report(found: AnswerSheet) -> None:
    """What the file holds, in words; then what is wrong, then what is worth knowing."""
    bad = found.refused()
    models = {item.answer_model for item in found.items} - {None}
    questions = {item.question_key for item in found.items}
    holds = f"{counted(len(found.items), 'answer')} to {counted(len(questions), 'question')}"
    if len(models) > 1:
        holds += f" by {len(models)} models"
    title = f"{bad:,} of {found.rows:,} rows cannot be taken" if bad else f"{holds}, all good"
    st.subheader(title, anchor=False)
    if found.grades:
        graders = sorted({grade.grader for grade in found.grades})
        st.caption(f"With {len(found.grades):,} grades by {plain(', '.join(graders))}.")
    if bad:
        reading.bad_rows(found.bad_rows, found.table.source.stem)
    for flag in found.flags:
        rows = ", ".join(map(str, dict.fromkeys(flag.rows)))
        rows += "…" if flag.count > len(flag.rows) else ""
        st.caption(f":material/flag: {flag.sentence} (rows {rows})")


def _take(store: Store, found: AnswerSheet, rubric: Rubric | None) -> None:
    """Into which sheet, what that would change, and the button that does it."""
    if not found.items:
        st.info("There is no good row to import. Correct the file and choose it again.")
        return
    name = _sheet_name(store, found)
    if not name:
        st.info("Give the sheet a name.")
        return
    planned = _planned(store, found, name, rubric)
    bad = found.refused()
    left = bad + len(planned.conflicts)
    changes = planned.items or planned.items_told or planned.grades
    if not changes:
        st.info(f"Nothing would change: {plain(name)} holds all of this already.")
        if not planned.conflicts:
            return
    if planned.conflicts:
        st.subheader(
            f"{counted(len(planned.conflicts), 'row')} of the file against what {name} holds",
            anchor=False,
        )
        reading.conflicts(planned.conflicts, found.table.source.stem)
    agreed = not left or reading.without(
        planned.items, "rows", left, found.warnings(), f"{KEY}.without.{found.sha256}"
    )
    words = f"Import {counted(planned.items, 'answer')} into {name}"
    if planned.items_told:
        words += f", and what is said beside {counted(planned.items_told, 'answer')} there"
    if st.button(words, type="primary", key=f"{KEY}.go", disabled=not agreed or not changes):
        _store(store, found, name, rubric, partial=bool(left))


def _sheet_name(store: Store, found: AnswerSheet) -> str:
    names = [sheet.name for sheet in sheets.all_sheets(store)]
    stem = found.table.source.stem
    options = names if stem in names else [stem, *names]
    left, _ = st.columns(2)
    name = left.selectbox(
        "Into sheet", options, options.index(stem), key=f"{KEY}.into.{found.sha256}",
        accept_new_options=True, help="A new name makes a new sheet.",
    )  # fmt: skip
    return (name or "").strip()


def _planned(store: Store, found: AnswerSheet, name: str, rubric: Rubric | None) -> Intake:
    """What the import would do, asked of the store once per choice."""
    wanted = (*reading.last(KEY), name, sheets.find(store, name), tally.newest_grade(store))
    return reading.read_once(
        f"{KEY}.plan",
        wanted,
        lambda: intake.preview_sheet(store, found, name, rubric),
        "Comparing with what is stored…",
    )


def _store(
    store: Store, found: AnswerSheet, name: str, rubric: Rubric | None, partial: bool
) -> None:
    with st.spinner(f"Storing {len(found.items):,} answers…", show_time=True):
        taken = intake.take_sheet(store, found, name, rubric, partial)
    reading.forget(KEY)
    st.session_state["sheets.said"] = taken.sentence(name)
    remember(sheet=name, do=None)
    st.rerun()
