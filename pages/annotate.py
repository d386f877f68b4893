"""The lead's screen of grading sets: who is how far, links to send, and a new set."""

import streamlit as st

from concord.grading import grading_sets
from concord.ui.frame import enter, may_act
from concord.ui.language import say
from concord.ui.looker import leads
from concord.ui.screens import new_set
from concord.ui.screens.flags import flagged
from concord.ui.screens.grading_sets import card, headline
from concord.ui.widgets import no_sheet, pick_sheet

store = enter(__file__)
sheet = pick_sheet(store)
if sheet is None:
    no_sheet("then create a grading set from them.")
    st.stop()
made = grading_sets.of_sheet(store, sheet.id)
headline(store, sheet, made)
flagged(store, sheet)
for grading_set in made:
    card(store, sheet, grading_set)
if may_act(store) and leads(store):
    with st.expander(say("New grading set"), expanded=not made, icon=":material/add:"):
        new_set.form(store, sheet, made)
