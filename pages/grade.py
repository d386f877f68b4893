"""The screen a grader stays in: question, answer, contexts and the rubric, by keyboard."""

import streamlit as st

from concord.messages import N_
from concord.ui.components.grading_pane import pane
from concord.ui.frame import enter, grading_only, recall, remember
from concord.ui.screens.grade import choose, may_grade, own_id, to_adjudication, way_out
from concord.ui.widgets import finding

store = enter(__file__)
if not may_grade(store):
    finding(
        N_("Annotators grade here"),
        N_("Each sees the answers of a grading set, blind, and grades them by keyboard."),
    )
    st.stop()
left = to_adjudication(store, own_id(store)) if grading_only() else 0
chosen = choose(store)
if chosen:
    if recall("set") is None:
        remember(set=chosen.grading_set.id)
        st.rerun()  # no choice of a sheet stands above the set that the address names
    pane(chosen.grading_set.id, chosen.grader_id, left)
else:
    way_out(store)
