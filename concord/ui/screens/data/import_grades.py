"""Importing grades made elsewhere onto a sheet in the browser, under one rubric."""

import streamlit as st

from concord.grading.offline import take_back
from concord.importing import unit_names
from concord.importing.columns import ColumnMap
from concord.importing.grade_file import GradeSheet, read
from concord.importing.readers.formats import open_table
from concord.importing.readers.table import Table
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
from concord.ui.language import say
from concord.ui.markdown import plain
from concord.ui.screens.data.grade_conflicts import KEY, take
from concord.ui.upload import choice, opened, uploaded
from concord.ui.widgets import pick_rubric, pick_sheet


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
        take(store, sheet, rubric, found)
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
