"""Adjudicate: what annotators differ on is decided, blind to judges and to who said what."""

import streamlit as st

from concord.messages import said
from concord.store import permissions
from concord.ui.components.adjudication_pane import adjudication_pane
from concord.ui.frame import enter, filters
from concord.ui.screens.annotate.adjudicating import assigned_cases
from concord.ui.screens.annotate.adjudicating.adjudicate import (
    headline,
    nothing,
    other_list,
    what_is_hidden,
)
from concord.ui.screens.annotate.adjudicating.adjudicate_assign import assignments
from concord.ui.screens.annotate.adjudicating.adjudicate_pick import pick
from concord.ui.widgets import no_sheet, pick_sheet

store = enter(__file__)
if assigned_cases.is_assigned(store):
    wanted = assigned_cases.pick(store)
    if wanted:
        adjudication_pane(wanted)
        what_is_hidden()
    st.stop()
sheet = pick_sheet(store)
if sheet is None:
    no_sheet(said("annotators grade them, and their disagreements are adjudicated here."))
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
    nothing(wanted)
what_is_hidden()
assignments(store, wanted)
other_list()
