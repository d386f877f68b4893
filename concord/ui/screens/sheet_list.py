"""The sheets that are there, and the export of their grades."""

from functools import partial

import streamlit as st

from concord.exporting import exported_tables, tool_grades
from concord.exporting.tool_grades import CSV, TOOLS, Tool, Written
from concord.judges.run import lock as run_lock
from concord.messages import Problem, counted, said
from concord.model import Sheet
from concord.reports import lists
from concord.resources import COMMAND
from concord.sampling import splits
from concord.store import import_undo, imports, sheets
from concord.store.database import Store
from concord.store.imports import Import
from concord.store.rubrics import rubric_versions
from concord.ui import render
from concord.ui.caching import kept
from concord.ui.frame import offer_download, offer_download_choice, pick_tool, remember
from concord.ui.language import plain, say
from concord.ui.looker import leads
from concord.ui.sign_in import VISITOR, own_store
from concord.ui.widgets import action_button


def headline(sheet: Sheet) -> str:
    """Return a short summary of a sheet's contents."""
    models = len(sheet.answer_models)
    return said(
        "{name}: {answers} to {questions} by {models} models"
        if models > 1
        else "{name}: {answers} to {questions}",
        name=sheet.name,
        answers=counted(sheet.items, "answer"),
        questions=counted(sheet.questions, "question"),
        models=models,
    )


def overview(every: list[Sheet]) -> None:
    """Show all sheets with their counts."""
    render.show_table(lists.sheet_table(every), "concord")


def files(store: Store, sheet: Sheet) -> None:
    """The files the sheet and its grades came from, and the undoing of one of these imports."""
    found = imports.of_sheet(store, sheet.id)
    render.show_table(lists.import_table(found), sheet.name)
    _undoing(store, sheet, [one for one in found if not one.undone_at])


def _undoing(store: Store, sheet: Sheet, found: list[Import]) -> None:
    """Choose an import, read what undoing it takes out, and undo it."""
    if not (found and store.may_lead()):
        return
    number = st.selectbox(
        "Undo an import",
        [one.number for one in reversed(found)],
        index=None,
        format_func={one.number: f"{one.number}: {one.file}" for one in found}.get,
        placeholder="Choose an import",
        key=f"sheets.undo.{sheet.id}",
        help=(
            "Removes the answers and grades that only this file contained. Grades given since stay "
            "in the export and are restored when the same answers are imported again."
        ),
    )
    if number is None:
        return
    run_lock.close_dead(store, sheet.id)
    going = import_undo.preview(store, sheet, number)
    st.markdown(say("This removes {what}.", what=going.sentence()))
    if st.button(
        say("Undo import {number}", number=number), key="sheets.undo", icon=":material/undo:"
    ):
        going = import_undo.undo(store, sheet, number)
        st.session_state["sheets.said"] = going.done(sheet.name, number)
        st.rerun()


def removal(store: Store, sheet: Sheet) -> None:
    """Show what deleting the sheet deletes; delete it once its name is typed."""
    what = sheets.deletion_text(sheets.deletion_counts(store, sheet))
    name = plain(sheet.name)
    st.markdown(say("Deleting **{name}** permanently removes: {what}.", name=name, what=what))
    st.caption(
        say(
            "This cannot be undone. `{concord} backup FILE` makes a copy of everything first.",
            concord=COMMAND,
        )
    )
    typed = st.text_input("Type the sheet's name to confirm", key=f"sheets.confirm.{sheet.id}")
    if action_button(
        say("Delete {name} and all its data", name=name),
        None if typed.strip() == sheet.name else "Type the sheet's name first.",
        key="sheets.delete",
        icon=":material/delete:",
    ):
        sheets.delete(store, sheet)
        gone = said("{name} was deleted, with {what}.", name=sheet.name, what=what)
        st.session_state["sheets.said"] = gone
        remember(sheet=None)
        st.rerun()


_TOOL = "grades.export"


def offer_grades(store: Store, sheet: Sheet) -> None:
    """Offer a sheet's grades to leads, and to visitors of a read-only demo.

    Grades of the held-out test stay closed, as everywhere on the screens.
    """
    if not (leads(store) or store.who == VISITOR):
        return
    if not rubric_versions.graded(store, sheet.id):
        return
    offer_download(partial(_csv, sheet), f"{sheet.name}-grades.csv", "text/csv")
    tool, key = st.session_state.get(_TOOL), f"{_TOOL}.{sheet.id}"
    if tool not in TOOLS:
        offer_download_choice(_pick_tool)
        return
    graders = tool_grades.graders(store, sheet)
    made = _made(store, sheet, tool, st.session_state.get(key))
    offer_download_choice(partial(_choice, key, graders, TOOLS[tool], made))


def _csv(sheet: Sheet) -> bytes:
    with own_store() as store:
        try:
            return _written(store, sheet, CSV, ()).content
        except Problem:  # every grade is held out: an empty table
            return tool_grades.as_csv([], {})


def _written(store: Store, sheet: Sheet, tool: str, graders: tuple[str, ...]) -> Written:
    closed = splits.held_out(store, sheet.id)
    with exported_tables.reading_all(store):
        return tool_grades.write(store, sheet, tool, graders, closed=closed)


@kept("Reading the grades…", 2)
def _made(store: Store, sheet: Sheet, tool: str, grader: str | None) -> Written | str:
    """Return the file of a tool; as text why it is not available."""
    try:
        return _written(store, sheet, tool, (grader,) if grader else ())
    except Problem as problem:
        return problem.on_screen


def _pick_tool() -> None:
    st.caption(
        "Files of grades include judges' grades, so anyone who reads them is no longer blind "
        "to these answers. Held-out questions are left out."
    )
    titles = {name: tool.title for name, tool in TOOLS.items()}
    pick_tool("Export the grades for another tool", titles, _TOOL)


def _choice(key: str, graders: list[str], tool: Tool, made: Written | str) -> None:
    _pick_tool()
    st.selectbox("Grader", graders, index=None, placeholder="Any", key=key)
    if isinstance(made, str):
        st.caption(plain(made))
        return
    st.download_button(
        f"Download {tool.file}",
        made.content,
        tool.file,
        key="grades.exported",
        icon=":material/download:",
    )
    held = said("In the file: {grades}", grades=counted(made.grades, "grade"))
    lines = [held, *tool_grades.reasons(made.left_out)]
    st.caption("\n".join(f"- {plain(text)}" for text in lines))
