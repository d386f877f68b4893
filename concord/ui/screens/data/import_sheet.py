"""Importing answers in the browser: choose a file, see what it holds, say what to take."""

import pandas as pd
import streamlit as st

from concord.grading import progress
from concord.importing import sheet_import
from concord.importing.answer_file import AnswerSheet, preview, read
from concord.importing.columns import ColumnMap
from concord.importing.readers.table import Table
from concord.importing.sheet_import import Intake
from concord.language.plurals import counted
from concord.messages import said
from concord.problems import Problem
from concord.rubrics.model import FIRST, Rubric
from concord.store import sheets
from concord.store.database import Store
from concord.store.rubrics import rubric_versions
from concord.ui import import_findings
from concord.ui.column_mapping import item_columns
from concord.ui.frame import remember
from concord.ui.language import say
from concord.ui.markdown import plain
from concord.ui.screens.data import import_trec
from concord.ui.upload import choice, opened, uploaded

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
    """What the file holds, in words; then what is wrong, then what is worth knowing."""
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


def _take(store: Store, found: AnswerSheet, rubric: Rubric | None) -> None:
    """Into which sheet, what that would change, and the button that does it."""
    if not found.items:
        st.info(say(import_findings.NO_GOOD_ROW))
        return
    name = _sheet_name(store, found)
    if not name:
        st.info(say("Give the sheet a name."))
        return
    planned = _planned(store, found, name, rubric)
    bad = found.refused()
    left = bad + len(planned.conflicts)
    changes = planned.items or planned.items_told or planned.grades
    if not changes:
        st.info(say("Nothing would change: {name} holds all of this already.", name=plain(name)))
        if not planned.conflicts:
            return
    if planned.conflicts:
        st.subheader(
            say(
                "{rows} of the file against what {name} holds",
                rows=counted(len(planned.conflicts), "row"),
                name=plain(name),
            ),
            anchor=False,
        )
        import_findings.conflicts(planned.conflicts, found.table.source.stem)
    agreed = not left or import_findings.without(
        planned.items,
        said("rows"),
        counted(left, "row"),
        found.warnings(),
        f"{KEY}.without.{found.sha256}",
    )
    words = said("Import {answers} into {name}", answers=_answers(planned.items), name=name)
    if planned.items_told:
        words = said(
            "Import {answers} into {name}, and what is said beside {told} there",
            answers=_answers(planned.items),
            name=name,
            told=_answers(planned.items_told),
        )
    if st.button(say(words), type="primary", key=f"{KEY}.go", disabled=not agreed or not changes):
        _store(store, found, name, rubric, partial=bool(left))


def _sheet_name(store: Store, found: AnswerSheet) -> str:
    names = [sheet.name for sheet in sheets.all_sheets(store)]
    stem = found.table.source.stem
    options = names if stem in names else [stem, *names]
    left, _ = st.columns(2)
    name = left.selectbox(
        say("Into sheet"), options, options.index(stem), key=f"{KEY}.into.{found.sha256}",
        accept_new_options=True, help=say("A new name makes a new sheet."),
    )  # fmt: skip
    return (name or "").strip()


def _planned(store: Store, found: AnswerSheet, name: str, rubric: Rubric | None) -> Intake:
    """What the import would do, asked of the store once per choice."""
    wanted = (
        *import_findings.last(KEY),
        name,
        sheets.find(store, name),
        progress.newest_grade(store),
    )
    return import_findings.read_once(
        f"{KEY}.plan",
        wanted,
        lambda: sheet_import.preview_sheet(store, found, name, rubric),
        import_findings.COMPARING,
    )


def _store(
    store: Store, found: AnswerSheet, name: str, rubric: Rubric | None, partial: bool
) -> None:
    with st.spinner(say("Storing {n:,} answers…", n=len(found.items)), show_time=True):
        taken = sheet_import.take_sheet(store, found, name, rubric, partial)
    import_findings.forget(KEY)
    st.session_state["sheets.said"] = taken.sentence(name)
    remember(sheet=name, do=None)
    st.rerun()


def _answers(n: int) -> str:
    return counted(n, "answer")
