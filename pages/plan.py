"""Plan: the sample size, annotators per answer, and the next sample."""

import streamlit as st

from concord.messages import said
from concord.reports.planning.document import document
from concord.ui import render
from concord.ui.frame import enter, may_act
from concord.ui.language import say
from concord.ui.screens import plan
from concord.ui.screens.plan import ask
from concord.ui.widgets import no_sheet, pick_sheet

store = enter(__file__)
sheet = pick_sheet(store)
if sheet is None:
    no_sheet(
        said(
            "then this screen estimates how many questions and annotators are needed to measure a "
            "judge's agreement."
        )
    )
    st.stop()

plan.made()
title = st.container()
asked = ask(store, sheet)
found = asked.plan(store)
with title:
    render.head(document(found), in_one=True)
power = st.container()
if may_act(store):
    with st.expander(say("Next answers to grade"), icon=":material/casino:"):
        plan.draw(store, asked)
# Last, although they stand higher: they take longest, and nothing else waits for them.
with power:
    plan.curves(asked.with_curves(store, found))
