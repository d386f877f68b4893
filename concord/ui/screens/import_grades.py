"""Import grades made elsewhere onto a sheet: preview, choice about conflicts, and storing."""

from functools import partial

import streamlit as st

from concord.grading import package_return as take_back
from concord.grading import sheet_progress
from concord.importing import grade_scales, sheet_import
from concord.importing.columns import ColumnMap
from concord.importing.faults import Checked
from concord.importing.readers.table import Table
from concord.importing.recognition import open_grades_of
from concord.importing.scores import Spread, Words, shown_scale
from concord.messages import counted, joined, said
from concord.model import Sheet
from concord.reports.units import decomposition
from concord.rubrics.model import Rubric
from concord.store import grade_additions, items
from concord.store.database import Store
from concord.store.grade_additions import KEEP, REPLACE, Comparison
from concord.ui import import_findings
from concord.ui.actions import refusals
from concord.ui.column_mapping import grade_columns
from concord.ui.import_findings import read_once
from concord.ui.language import plain, say
from concord.ui.screens.import_scale import chosen_spread, grade_words, scales_of
from concord.ui.upload import choice, of_worksheet, opened_and_joined, uploaded
from concord.ui.widgets import action_button, pick_rubric, pick_sheet

KEY = "grades"
_CHOICES = {
    KEEP: "Keep the stored grades and leave these rows out",
    REPLACE: "Replace the stored grades; the old ones stay on record",
}


def import_grades(store: Store) -> None:
    """The whole way from a file of grades to stored grades."""
    with st.container(horizontal=True):
        sheet = pick_sheet(store)
        first = grade_scales.proposed_rubric(store, sheet)
        _, rubric = pick_rubric(store, decomposition.rubrics(store, sheet), first)
    st.caption(say("Sheet **{sheet}**.", sheet=plain(sheet.name)))
    file = uploaded(KEY, "grades")
    if file is None:
        return
    with refusals():
        read = partial(open_grades_of, store, lambda: sheet)
        table = opened_and_joined(file, KEY, read, (sheet.id, sheet.items))
        if take_back.table_of(table, partial(of_worksheet, file)):
            st.info(say("This is a returned file of a grading set. Import it there."))
            icon = ":material/inventory_2:"
            st.page_link("pages/annotate.py", label=say("Grading sets"), icon=icon)
            return
        key = f"{KEY}.{file.file_id}"
        with st.container(border=True):
            st.markdown(say("**Map columns**"))
            columns = grade_columns(table, key, rubric)
        words, spread = _scores(table, columns, rubric, f"{key}.{rubric.name}")
        how = (columns.spoken(), sheet, rubric.body(), tuple(words.items()), tuple(spread))
        found = read_once(
            KEY,
            (*choice(KEY), *how),
            lambda: decomposition.read(store, sheet, [rubric], table, columns, words, spread),
        )
        good = said(
            "{grades} by {graders}, all valid",
            grades=counted(len(found.grades), "grade"),
            graders=joined(", ", sorted({grade.grader for grade in found.grades})),
        )
        import_findings.report(found, good)
        take(store, sheet, rubric, found)


def _scores(table: Table, columns: ColumnMap, rubric: Rubric, key: str) -> tuple[Words, Spread]:
    """The user's scores of the words in a file of grades, and what numbers of 0 to 1 are mapped.

    Raises:
        Problem: the user has not chosen yet how numbers of 0 to 1 are read.
    """
    if rubric.units:
        return {}, ()
    seen, words = scales_of(table, columns, key), {}
    with st.container(border=True):
        st.markdown(f"**{say('Scale')}** {shown_scale(rubric.scale)}")
        if seen.words():
            words = grade_words(seen, None, key, rubric.scale)
        return words, chosen_spread(table, seen, columns, rubric, words, key)


def take(store: Store, sheet: Sheet, rubric: Rubric, found: Checked) -> None:
    """Show the effect of the import, and the button that stores it."""
    if not found.grades:
        st.info(say(import_findings.NO_GOOD_ROW))
        return

    def compared_with_stored() -> Comparison:
        keys = items.item_keys(store, sheet.id)
        return grade_additions.take(store, [rubric], found.grades, lambda _: keys, dry_run=True)

    wanted = (*import_findings.last(KEY), sheet_progress.newest_grade(store))
    compared = read_once(f"{KEY}.plan", wanted, compared_with_stored)
    on_conflict = None
    if compared.conflicts:
        import_findings.conflicts(compared.conflicts, found.table.source.stem)
        on_conflict = st.radio(
            say("Where a stored grade differs"),
            list(_CHOICES),
            index=None,
            format_func=lambda one: say(_CHOICES[one]),
            key=f"{KEY}.choice.{found.sha256}",
        )
    bad = found.refused()
    agreed = not bad or import_findings.without(
        counted(len(found.grades), "grade"),
        counted(bad, "row"),
        f"{KEY}.without.{found.sha256}",
    )
    replaced = compared.replaced + (len(compared.conflicts) if on_conflict == REPLACE else 0)
    why = None if compared.new or replaced else say("There is no new grade to import.")
    if not agreed or (compared.conflicts and not on_conflict):
        why = say("Confirm above what is left out or replaced.")
    words = say("Import grades: {new:,} new, {n:,} replaced", new=compared.new, n=replaced)
    if not action_button(words, why, type="primary", key=f"{KEY}.go"):
        return
    with st.spinner(say("Storing {n}…", n=counted(len(found.grades), "grade")), show_time=True):
        taken = sheet_import.take_grades(store, sheet, found, rubric, bool(bad), on_conflict)
    import_findings.finished(KEY, sheet.name, taken.sentence(sheet.name))
