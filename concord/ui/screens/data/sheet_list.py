"""The sheets there are, the files one of them came from, and its removal."""

import streamlit as st

from concord.judges.running import run_lock
from concord.messages import counted, said
from concord.model import Sheet
from concord.reports import lists
from concord.resources import COMMAND
from concord.store import import_undo, imports, sheets
from concord.store.database import Store
from concord.store.imports import Import
from concord.ui import render
from concord.ui.frame import remember
from concord.ui.language import plain, say
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
    render.show_table(lists.sheet_table(every), "concord", in_full=True)


def files(store: Store, sheet: Sheet) -> None:
    """The files the sheet and its grades came from, and the undoing of one of these imports."""
    found = imports.of_sheet(store, sheet.id)
    render.show_table(lists.import_table(found), sheet.name, in_full=True)
    _undoing(store, sheet, [one for one in found if not one.undone_at])


def _undoing(store: Store, sheet: Sheet, found: list[Import]) -> None:
    """Choose an import, read what undoing it takes out, and undo it."""
    if not (found and store.may_lead()):
        return
    number = st.selectbox(
        say("Undo an import"),
        [one.number for one in reversed(found)],
        index=None,
        format_func={
            one.number: say("{title}: {text}", title=one.number, text=one.file) for one in found
        }.get,
        placeholder=say("Choose an import"),
        key=f"sheets.undo.{sheet.id}",
        help=say(
            "Removes the answers and grades that only this file contained. Grades given since stay "
            "in the export and are restored when the same answers are imported again."
        ),
    )
    if number is None:
        return
    run_lock.close_dead(store, sheet.id)
    going = import_undo.preview(store, sheet, number)
    st.markdown(say("This removes {what}.", what=going.sentence()))
    if warning := going.warning():
        st.warning(say(warning))
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
    typed = st.text_input(say("Type the sheet's name to confirm"), key=f"sheets.confirm.{sheet.id}")
    if action_button(
        say("Delete {name} and all its data", name=name),
        None if typed.strip() == sheet.name else say("Type the sheet's name first."),
        key="sheets.delete",
        icon=":material/delete:",
    ):
        sheets.delete(store, sheet)
        gone = said("{name} was deleted, with {what}.", name=sheet.name, what=what)
        st.session_state["sheets.said"] = gone
        remember(sheet=None)
        st.rerun()
