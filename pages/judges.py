"""Judges: who can grade by machine, at what price, what exactly is asked, and running it."""

import streamlit as st

from concord.grading import sheet_progress
from concord.reports.workflow import judges
from concord.ui import render
from concord.ui.actions import refusals
from concord.ui.frame import enter, may_act, recall
from concord.ui.language import plain
from concord.ui.reports import show_left_out
from concord.ui.screens.judge_card import (
    card,
    judges_of,
    open_judge,
    pick_judge,
)
from concord.ui.screens.judge_form import add_button, add_judge
from concord.ui.widgets import no_sheet, pick_sheet

store = enter(__file__)
sheet = pick_sheet(store)
if sheet is None:
    no_sheet("then this screen adds judges, shows what each costs, and runs them.")
    st.stop()

found = judges_of(store, sheet)
document = judges.document(sheet, found)
render.head(document)
if may_act(store):
    add_button(first=len(found) == 1 and not recall("judge"))  # the baseline alone
name = pick_judge(found, *document.tables, sheet.name)
show_left_out(sheet_progress.not_included(store, sheet.id))
for note in document.notes:
    st.caption(plain(note))
if recall("add") and may_act(store):
    if made := add_judge(store, sheet):
        open_judge(made)
elif name is not None:
    with refusals():
        entry = next((one for one in found if one.argument == name), None)
        card(store, sheet, name, entry)
