"""Import of answers: preview, choice of the sheet, and storing."""

import streamlit as st

from concord.grading import progress
from concord.importing import sheet_import
from concord.importing.answer_file import AnswerSheet
from concord.importing.sheet_import import Intake
from concord.messages import counted, said
from concord.rubrics.model import Rubric
from concord.store import sheets
from concord.store.database import Store
from concord.ui import import_findings
from concord.ui.frame import remember
from concord.ui.language import plain, say

KEY = "import"


def take(store: Store, found: AnswerSheet, rubric: Rubric | None) -> None:
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
        found.left_out({conflict.row for conflict in planned.conflicts}),
    )
    words = said("Import {answers} into {name}", answers=_answers(planned.items), name=name)
    if planned.items_told:
        words = said(
            "Import {answers} into {name}, and the extra fields of {told} there",
            answers=_answers(planned.items),
            name=name,
            told=_answers(planned.items_told),
        )
    if st.button(say(words), type="primary", key=f"{KEY}.go", disabled=not agreed or not changes):
        _keep(store, found, name, rubric, partial=bool(left))


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
    """Return the effect of the import, computed once per choice."""
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


def _keep(
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
