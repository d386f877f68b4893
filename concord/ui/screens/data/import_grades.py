"""Importing grades made elsewhere onto a sheet in the browser, under one rubric."""

import streamlit as st

from concord.grading import progress
from concord.grading.offline import take_back
from concord.importing import grade_import, sheet_import, unit_names
from concord.importing.columns import ColumnMap
from concord.importing.grade_file import GradeSheet, read
from concord.importing.grade_import import Comparison
from concord.importing.readers.formats import open_table
from concord.importing.readers.table import Table
from concord.importing.sheet_import import KEEP, REPLACE
from concord.language.plurals import counted
from concord.messages import said
from concord.problems import Problem
from concord.reports.units import decomposition
from concord.rubrics.model import Rubric, of_units
from concord.store import items
from concord.store.database import Store
from concord.store.rubrics import rubric_versions
from concord.store.sheets import Sheet
from concord.ui import import_findings
from concord.ui.column_mapping import grade_columns
from concord.ui.frame import remember
from concord.ui.language import say
from concord.ui.markdown import plain
from concord.ui.rubric_picker import pick_rubric
from concord.ui.upload import choice, opened, uploaded
from concord.ui.widgets import pick_sheet

KEY = "grades"
_CHOICES = {
    KEEP: said("Keep the stored grades and leave these rows out"),
    REPLACE: said("Replace the stored grades; the old ones stay on record"),
}


def import_grades(store: Store) -> None:
    """The whole way from a file of grades to stored grades."""
    with st.container(horizontal=True):
        sheet = pick_sheet(store)
        _, rubric = pick_rubric(store, _rubrics(store, sheet))
    st.caption(
        say(
            "Onto the sheet **{sheet}**, under the rubric **{rubric}**.",
            sheet=plain(sheet.name),
            rubric=plain(rubric.name),
        )
    )
    file = uploaded(KEY, "grades")
    if file is None:
        return
    try:
        table = opened(file, KEY)
        if _is_pack(file, table):
            return
        with st.container(border=True):
            st.markdown(say("**Which column is which**"))
            columns = grade_columns(table, f"{KEY}.{file.file_id}.{rubric.name}", rubric)
        found = import_findings.read_once(
            KEY,
            (*choice(KEY), columns.spoken(), sheet, rubric.body()),
            lambda: _read(store, sheet, rubric, table, columns),
            said("Checking every row…"),
        )
        _report(found)
        _take(store, sheet, rubric, found)
    except Problem as problem:
        st.error(plain(str(problem)), icon=":material/error:")


def _is_pack(file, table: Table) -> bool:
    """Whether a file is a pack that came back; then where it is taken in."""
    data = file.getvalue()
    if not take_back.table_of(table, lambda one: open_table(data, file.name, worksheet=one)):
        return False
    st.info(say("This file is of a grading set, by its row codes. It is taken in there."))
    st.page_link("pages/grading.py", label=say("Grading sets"), icon=":material/inventory_2:")
    return True


def _rubrics(store: Store, sheet: Sheet) -> list[str]:
    """The rubrics of whole answers, and those of units that the sheet has or a rule makes."""
    of_parts = [
        name
        for name, one in of_units().items()
        if decomposition.is_by_rule(one.units) or unit_names.has(store, sheet.id, one)
    ]
    return [*rubric_versions.names(store), *of_parts]


def _read(
    store: Store, sheet: Sheet, rubric: Rubric, table: Table, columns: ColumnMap
) -> GradeSheet:
    """The file's rows, each checked against the answers of the sheet and their units."""
    kind = rubric.units
    if kind:
        decomposition.sheet_by_rule(store, sheet, kind)
    units = {kind: unit_names.of_sheet(store, sheet.id, kind)} if kind else {}
    return read(table, columns, rubric, items.item_keys(store, sheet.id), units)


def _report(found: GradeSheet) -> None:
    bad = found.refused()
    graders = sorted({grade.grader for grade in found.grades})
    good = said(
        "{n:,} grades by {graders}, all good", n=len(found.grades), graders=", ".join(graders)
    )
    st.subheader(plain(import_findings.refused(bad, found.rows) if bad else good), anchor=False)
    if bad:
        import_findings.bad_rows(found.bad_rows, found.table.source.stem)
    if found.folded:
        st.caption(
            say(
                ":material/flag: {n:,} rows repeat a grade and were folded into it.",
                n=found.folded,
            )
        )
    for sentence in found.beside():
        st.caption(f":material/flag: {plain(sentence)}")


def _take(store: Store, sheet: Sheet, rubric: Rubric, found: GradeSheet) -> None:
    if not found.grades:
        st.info(say(import_findings.NO_GOOD_ROW))
        return
    compared = _compared(store, sheet, rubric, found)
    if not (compared.new or compared.changed):
        st.info(
            say(
                "Nothing would change: {name} holds all of these grades already.",
                name=plain(sheet.name),
            )
        )
        return
    choice = _conflicts(compared, found)
    bad = found.refused()
    agreed = not bad or import_findings.without(
        len(found.grades),
        said("grades"),
        counted(bad, "row"),
        found.warnings(),
        f"{KEY}.without.{found.sha256}",
    )
    ready = agreed and (choice is not None or not compared.changed)
    words = said(
        "Import {n:,} new grades and replace {changed:,}"
        if choice == REPLACE
        else "Import {n:,} new grades",
        n=len(compared.new),
        changed=len(compared.changed),
    )
    nothing = not compared.new and choice != REPLACE
    if st.button(say(words), type="primary", key=f"{KEY}.go", disabled=not ready or nothing):
        _store(store, sheet, rubric, found, bool(bad), choice)


def _compared(store: Store, sheet: Sheet, rubric: Rubric, found: GradeSheet) -> Comparison:
    """What the import would do, asked of the store once while no grade comes in."""

    def ask() -> Comparison:
        keys = items.item_keys(store, sheet.id)
        return grade_import.compare(store, rubric, found.grades, keys)

    wanted = (*import_findings.last(KEY), progress.newest_grade(store))
    return import_findings.read_once(f"{KEY}.plan", wanted, ask, import_findings.COMPARING)


def _conflicts(compared: Comparison, found: GradeSheet) -> str | None:
    """The user's choice about grades that differ from stored ones; None before it is made."""
    if not compared.conflicts:
        return None
    grades = counted(
        len(compared.conflicts),
        "grade differs from what is stored",
        "grades differ from what is stored",
    )
    st.subheader(say(grades), anchor=False)
    import_findings.conflicts(compared.conflicts, found.table.source.stem)
    return st.radio(
        say("What shall count?"), list(_CHOICES), index=None,
        format_func=lambda one: say(_CHOICES[one]),
        key=f"{KEY}.choice.{found.sha256}",
    )  # fmt: skip


def _store(
    store: Store,
    sheet: Sheet,
    rubric: Rubric,
    found: GradeSheet,
    partial: bool,
    on_conflict: str | None,
) -> None:
    with st.spinner(say("Storing {n:,} grades…", n=len(found.grades)), show_time=True):
        taken = sheet_import.take_grades(store, sheet, found, rubric, partial, on_conflict)
    import_findings.forget(KEY)
    st.session_state["sheets.said"] = taken.sentence(sheet.name)
    remember(sheet=sheet.name, do=None)
    st.rerun()
