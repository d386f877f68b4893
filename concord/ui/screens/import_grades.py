"""Import grades made elsewhere onto a sheet: preview, choice about conflicts, and storing."""

from functools import partial

import streamlit as st

from concord.grading import package_return as take_back
from concord.grading import sheet_progress
from concord.importing import default_rubric, grade_import, sheet_import
from concord.importing.columns import ColumnMap
from concord.importing.grade_file import GradeSheet
from concord.importing.grade_import import Comparison
from concord.importing.grade_scales import grade_scales, narrow, zero_to_one
from concord.importing.readers.table import Table
from concord.importing.scores import Spread, Words, shown_scale
from concord.importing.sheet_import import KEEP, REPLACE
from concord.messages import counted, joined, said
from concord.model import BASELINE, Sheet
from concord.reports.units import decomposition
from concord.rubrics.model import Rubric
from concord.store import items
from concord.store.database import Store
from concord.ui import import_findings
from concord.ui.actions import refusals
from concord.ui.column_mapping import grade_columns
from concord.ui.frame import remember
from concord.ui.language import plain, say
from concord.ui.render import table_of
from concord.ui.screens.import_scale import by_key, grade_words, values_shown
from concord.ui.screens.import_source import next_screen, see_grades
from concord.ui.upload import choice, of_worksheet, uploaded
from concord.ui.widgets import action_button, pick_rubric, pick_sheet

KEY = "grades"
_CHOICES = {
    KEEP: said("Keep the stored grades and leave these rows out"),
    REPLACE: said("Replace the stored grades; the old ones stay on record"),
}


def import_grades(store: Store) -> None:
    """The whole way from a file of grades to stored grades."""
    with st.container(horizontal=True):
        sheet = pick_sheet(store)
        first = default_rubric.proposed_rubric(store, sheet)
        _, rubric = pick_rubric(store, decomposition.rubrics(store, sheet), first)
    st.caption(say("Sheet **{sheet}**.", sheet=plain(sheet.name)))
    file = uploaded(KEY, "grades")
    if file is None:
        return
    with refusals():
        table, ids = see_grades(store, sheet, file, KEY)
        if take_back.table_of(table, partial(of_worksheet, file)):  # a returned offline package
            st.info(
                say("Its row codes show that this file belongs to a grading set. Import it there.")
            )
            st.page_link(
                "pages/annotate.py", label=say("Grading sets"), icon=":material/inventory_2:"
            )
            return
        with st.container(border=True):
            st.markdown(say("**Map columns**"))
            key = f"{KEY}.{file.file_id}"
            columns = grade_columns(table, key, rubric, ids)
        words, spread = scores_under_rubric(table, columns, rubric, f"{key}.{rubric.name}")
        said_so = columns.spoken(), sheet, rubric.body(), tuple(words.items()), bool(spread)
        found = import_findings.read_once(
            KEY,
            (*choice(KEY), *said_so),
            lambda: decomposition.read(store, sheet, [rubric], table, columns, words, spread),
            said("Checking every row…"),
        )
        _take(store, sheet, rubric, found)


_MAPPED = said("Map 0 to {low} and 1 to {high}")
_KEPT = said("Keep the numbers as they are")


def scores_under_rubric(
    table: Table, columns: ColumnMap, rubric: Rubric, key: str
) -> tuple[Words, Spread]:
    """The user's scores of the words in a file of grades, and what numbers of 0 to 1 are mapped.

    Raises:
        Problem: the user has not chosen yet how numbers of 0 to 1 are read.
    """
    if rubric.units:
        return {}, ()
    seen = import_findings.read_once(
        f"{key}.scales",
        (columns.spoken(),),
        lambda: grade_scales(table, columns),
        said("Checking every row…"),
    )
    words, ends = {}, {"low": rubric.scale[0], "high": rubric.scale[-1]}
    if seen.words():
        with st.container(border=True):
            st.markdown(f"**{say('Scale')}**")
            words = by_key(grade_words(seen, columns, None, key, rubric.scale))
    found = narrow(seen, columns, rubric, words)
    if not found:
        return words, ()
    with st.container(border=True):
        st.markdown(
            say(
                "**Scale:** these numbers lie within 0 to 1, and the scale of {rubric} is {scale}",
                rubric=plain(rubric.name),
                scale=shown_scale(rubric.scale),
            )
        )
        rows = [
            {
                said("Criterion"): criterion,
                said("Graded by"): said("judges") if judges else said("annotators"),
                said("Values"): values_shown(values.items()),
            }
            for (criterion, judges), values in found.items()
        ]
        table_of(rows, "zero-to-one", in_full=True)
        chosen = st.radio(
            say("How are they read?"),
            [_MAPPED, _KEPT],
            index=None,
            format_func=lambda one: say(one, **ends),
            key=f"{key}.zero_to_one",
        )
    if chosen is None:
        raise zero_to_one(table, found, rubric)
    return words, {*found} if chosen == _MAPPED else ()


def _take(store: Store, sheet: Sheet, rubric: Rubric, found: GradeSheet) -> None:
    """Show what the file holds, what is wrong with it and what it changes; store it on request."""
    bad, grades = found.refused(), counted(len(found.grades), "grade")
    graders = joined(", ", sorted({grade.grader for grade in found.grades}))
    good = said("{grades} by {graders}, all valid", grades=grades, graders=graders)
    st.subheader(plain(import_findings.refused(bad, found.rows) if bad else good), anchor=False)
    if bad:
        import_findings.bad_rows(found.bad_rows, found.table.source.stem)
    if found.folded:
        st.caption(
            say(":material/flag: {rows} merged.", rows=counted(found.folded, "duplicate row"))
        )
    for sentence in found.skipped():
        st.caption(f":material/flag: {plain(sentence)}")
    if not found.grades:
        st.info(say(import_findings.NO_GOOD_ROW))
        return

    def effect() -> Comparison:
        keys = items.item_keys(store, sheet.id)
        return grade_import.compare(store, rubric, found.grades, lambda _: keys)

    # Until another grade is stored.
    wanted = (*import_findings.last(KEY), sheet_progress.newest_grade(store))
    compared = import_findings.read_once(f"{KEY}.plan", wanted, effect, import_findings.COMPARING)
    differ, kept = len(compared.conflicts), None
    if not (compared.new or differ or compared.renewed):
        st.info(
            say(
                "Nothing would change: {name} already has all of these grades.",
                name=plain(sheet.name),
            )
        )
        return
    if differ:
        st.subheader(
            say("{grades} differ from what is stored", grades=counted(differ, "grade")),
            anchor=False,
        )
        import_findings.conflicts(compared.conflicts, found.table.source.stem)
        kept = st.radio(
            say("Where a stored grade differs"),
            list(_CHOICES),
            index=None,
            format_func=lambda one: say(_CHOICES[one]),
            key=f"{KEY}.choice.{found.sha256}",
        )
    rows, key = counted(bad, "row"), f"{KEY}.without.{found.sha256}"
    agreed = not bad or import_findings.without(grades, rows, key, found)
    changed = compared.renewed + (differ if kept == REPLACE else 0)
    words = "Import {grades} and replace {changed:,}" if changed else "Import {grades}"
    words = said(words, grades=counted(compared.new, "new grade"), changed=changed)
    why = None if compared.new or changed else say("There is no new grade to import.")
    if not agreed or (differ and kept is None):
        why = say("Confirm above what is left out or replaced.")
    if not action_button(say(words), why, type="primary", key=f"{KEY}.go"):
        return
    with st.spinner(say("Storing {grades}…", grades=grades), show_time=True):
        taken = sheet_import.take_grades(store, sheet, found, rubric, bool(bad), kept)
    import_findings.forget(KEY)
    st.session_state["sheets.said"] = taken.sentence(sheet.name)
    if not rubric.units:
        judged = sheet_progress.judged(store, sheet.id).judges.values()
        judges = any(name != BASELINE for name in judged)
        people = bool(sheet_progress.annotators(store, sheet.id))
        st.session_state["sheets.next"] = next_screen(people, judges)
    remember(sheet=sheet.name, do=None)
    st.rerun()
