"""Evidence: one answer, its claims, who said what of each and why, disagreements first."""

import streamlit as st

from concord.messages import said
from concord.ui.cached_metrics import readings
from concord.ui.frame import enter
from concord.ui.looker import agreed, pick_person
from concord.ui.screens.review.evidence_answers import go_on, narrow, pick_answer
from concord.ui.screens.review.evidence_pick import pick
from concord.ui.screens.review.evidence_show import show
from concord.ui.screens.review.evidence_words import headline, nothing
from concord.ui.widgets import finding, no_sheet, pick_sheet

store = enter(__file__)
title = st.container()
with st.container(horizontal=True, key="evidence-filters"):
    sheet = pick_sheet(store)
    found = readings(store, sheet) if sheet else None
    picked = pick(store, sheet, found) if sheet else None
    why = said("Enter your name to edit or approve lists.")
    who = pick_person(store, why) if picked else None
if picked is None:
    finding(said("What evidence are the metric values based on?"))
    if sheet is None:
        no_sheet(said("then metrics split answers into parts, and this screen shows the evidence."))
    else:
        nothing()
    st.stop()

with title:
    headline(sheet, picked)
if agreed(who):
    left, right = st.columns([1, 2], gap="medium")
    with left:
        picked = narrow(store, sheet, picked)
        item_id = pick_answer(store, picked, who)
        if item_id is not None:
            go_on(picked, item_id)
    with right:
        if item_id is not None:
            show(store, sheet, item_id, picked.rubric, who)
