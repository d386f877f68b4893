"""Adjudicate: what annotators differ on is decided, blind to judges and to who said what."""

import streamlit as st

from concord.messages import N_
from concord.store import permissions
from concord.ui.components.adjudication_pane import adjudication_pane
from concord.ui.frame import enter, filters
from concord.ui.screens import grade
from concord.ui.screens.adjudication import (
    assignments,
    headline,
    nothing,
    other_list,
    pick,
    what_is_hidden,
)
from concord.ui.widgets import no_sheet, pick_sheet

store = enter(__file__)
if grade.is_assigned(store):
    wanted = grade.pick(store)
    if wanted:
        adjudication_pane(wanted)
        what_is_hidden()
    st.stop()
sheet = pick_sheet(store)
if sheet is None:
    no_sheet(N_("annotators grade them, and their disagreements are adjudicated here."))
    st.stop()
permissions.blind(store)
title = st.container()
wanted = pick(store, sheet, filters())
if wanted is None:
    st.stop()
with title:
    headline(wanted)
if wanted.cases:
    adjudication_pane(wanted)
else:
    nothing()
what_is_hidden()
assignments(store, wanted)
other_list()
