"""Importing grades made elsewhere onto a sheet in the browser, under one rubric."""

from functools import partial

import streamlit as st

from concord.grading.offline import take_back
from concord.importing import sheet_rubric
from concord.importing.readers.table import Table
from concord.messages import said
from concord.reports.units import checked_grades
from concord.store.database import Store
from concord.ui import import_findings
from concord.ui.actions import refusals
from concord.ui.column_mapping import grade_columns
from concord.ui.language import plain, say
from concord.ui.screens.data.grade_intake import KEY, report, take
from concord.ui.screens.data.grade_scores import scores_under_rubric
from concord.ui.screens.data.import_source import see_grades
from concord.ui.upload import choice, of_worksheet, uploaded
from concord.ui.widgets import pick_rubric, pick_sheet


def import_grades(store: Store) -> None:
    """The whole way from a file of grades to stored grades."""
    with st.container(horizontal=True):
        sheet = pick_sheet(store)
        first = sheet_rubric.proposed_rubric(store, sheet)
        _, rubric = pick_rubric(store, checked_grades.rubrics(store, sheet), first)
    st.caption(say("Sheet **{sheet}**.", sheet=plain(sheet.name)))
    file = uploaded(KEY, "grades")
    if file is None:
        return
    with refusals():
        table, ids = see_grades(store, sheet, file, KEY)
        if _is_pack(file, table):
            return
        with st.container(border=True):
            st.markdown(say("**Map columns**"))
            key = f"{KEY}.{file.file_id}"
            columns = grade_columns(table, key, rubric, ids)
        words, spread = scores_under_rubric(store, table, columns, rubric, f"{key}.{rubric.name}")
        found = import_findings.read_once(
            KEY,
            (
                *(*choice(KEY), columns.spoken(), sheet, rubric.body()),
                *(tuple(words.items()), bool(spread)),
            ),
            lambda: checked_grades.read(store, sheet, [rubric], table, columns, words, spread),
            said("Checking every row…"),
        )
        report(found)
        take(store, sheet, rubric, found)


def _is_pack(file, table: Table) -> bool:
    """True for a returned offline package; the screen then links to its import."""
    if not take_back.table_of(table, partial(of_worksheet, file)):
        return False
    st.info(say("Its row codes show that this file belongs to a grading set. Import it there."))
    st.page_link("pages/annotate.py", label=say("Grading sets"), icon=":material/inventory_2:")
    return True
