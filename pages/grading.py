"""The lead's screen of grading sets: who is how far, links to send, and a new set."""

import streamlit as st

from data import grading_sets
from ui import new_set, sets
from ui.frame import enter
from ui.language import say
from ui.widgets import no_sheet, pick_sheet
from words.said import said

store = enter(__file__)
sheet = pick_sheet(store)
if sheet is None:
    no_sheet(said("then draw a grading set from them."))
    st.stop()
made = grading_sets.of_sheet(store, sheet.id)
sets.headline(store, sheet, made)
for grading_set in made:
    sets.card(store, grading_set)
with st.expander(say("New grading set"), expanded=not made, icon=":material/add:"):
    new_set.form(store, sheet, made)
