"""Import of grades: preview, choice about conflicts, and storing."""

import streamlit as st

from concord.grading import sheet_progress
from concord.importing import grade_import, sheet_import
from concord.importing.grade_file import GradeSheet
from concord.importing.grade_import import Comparison
from concord.importing.sheet_import import KEEP, REPLACE
from concord.messages import counted, joined, said
from concord.model import BASELINE, Sheet
from concord.rubrics.model import Rubric
from concord.store import items
from concord.store.database import Store
from concord.ui import import_findings
from concord.ui.frame import remember
from concord.ui.language import plain, say
from concord.ui.screens.data.sheet_intake import next_screen
from concord.ui.widgets import action_button

KEY = "grades"
_CHOICES = {
    KEEP: said("Keep the stored grades and leave these rows out"),
    REPLACE: said("Replace the stored grades; the old ones stay on record"),
}


def take(store: Store, sheet: Sheet, rubric: Rubric, found: GradeSheet) -> None:
    """Show the effect of the import, and the button that stores it."""
    if not found.grades:
        st.info(say(import_findings.NO_GOOD_ROW))
        return
    compared = _compared(store, sheet, rubric, found)
    if not (compared.new or compared.changed or compared.renewed):
        st.info(
            say(
                "Nothing would change: {name} already has all of these grades.",
                name=plain(sheet.name),
            )
        )
        return
    choice = _conflicts(compared, found)
    bad = found.refused()
    agreed = not bad or import_findings.without(
        counted(len(found.grades), "grade"),
        counted(bad, "row"),
        found.warnings(),
        f"{KEY}.without.{found.sha256}",
        found.left_out(),
    )
    ready = agreed and (choice is not None or not compared.changed)
    replaced = compared.renewed + (len(compared.changed) if choice == REPLACE else 0)
    words = said(
        "Import {grades} and replace {changed:,}" if replaced else "Import {grades}",
        grades=counted(compared.new, "new grade"),
        changed=replaced,
    )
    nothing = not (compared.new or replaced)
    why = say("There is no new grade to import.") if nothing else None
    if not ready:
        why = say("Confirm above what is left out or replaced.")
    if action_button(say(words), why, type="primary", key=f"{KEY}.go"):
        _store(store, sheet, rubric, found, bool(bad), choice)


def _compared(store: Store, sheet: Sheet, rubric: Rubric, found: GradeSheet) -> Comparison:
    """Return the effect of the import, computed once until another grade is stored."""

    def ask() -> Comparison:
        keys = items.item_keys(store, sheet.id)
        return grade_import.compare(store, rubric, found.grades, lambda _: keys)

    wanted = (*import_findings.last(KEY), sheet_progress.newest_grade(store))
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
        say("Where a stored grade differs"), list(_CHOICES), index=None,
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
    with st.spinner(
        say("Storing {grades}…", grades=counted(len(found.grades), "grade")), show_time=True
    ):
        taken = sheet_import.take_grades(store, sheet, found, rubric, partial, on_conflict)
    import_findings.forget(KEY)
    st.session_state["sheets.said"] = taken.sentence(sheet.name)
    if not rubric.units:
        people = bool(sheet_progress.annotators(store, sheet.id))
        names = sheet_progress.judged(store, sheet.id).judges.values()
        judges = any(name != BASELINE for name in names)
        st.session_state["sheets.next"] = next_screen(people, judges)
    remember(sheet=sheet.name, do=None)
    st.rerun()


def report(found: GradeSheet) -> None:
    """Show what the file holds, and what is wrong with it."""
    bad = found.refused()
    graders = sorted({grade.grader for grade in found.grades})
    good = said(
        "{grades} by {graders}, all valid",
        grades=counted(len(found.grades), "grade"),
        graders=joined(", ", graders),
    )
    st.subheader(plain(import_findings.refused(bad, found.rows) if bad else good), anchor=False)
    if bad:
        import_findings.bad_rows(found.bad_rows, found.table.source.stem)
    if found.folded:
        st.caption(
            say(
                ":material/flag: {merged}.",
                merged=counted(
                    found.folded,
                    "duplicate row of grades was merged",
                    "duplicate rows of grades were merged",
                ),
            )
        )
    for sentence in found.skipped():
        st.caption(f":material/flag: {plain(sentence)}")
