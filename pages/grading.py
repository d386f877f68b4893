"""The lead's screen of grading sets: who is how far, links to send, and a new set."""

import streamlit as st

from data import grading_sets
from ui import sets
from ui.frame import enter
from ui.widgets import empty, pick_sheet

store = enter(__file__)
sheet = pick_sheet(store)
if sheet is None:
    empty(
        "There is nothing to grade yet",
        "Import a sheet of answers, or load the sample; then draw a grading set from it.",
        "pages/sheets.py",
        "To the sheets",
    )
    st.stop()
made = grading_sets.of_sheet(store, sheet.id)
sets.headline(store, sheet, made)
for grading_set in made:
    sets.card(store, grading_set)
with st.expander("New grading set", expanded=not made, icon=":material/add:"):
    sets.form(store, sheet, made)
