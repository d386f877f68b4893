"""Splits: the few-shot pool, evaluation, and the held-out test."""

import streamlit as st

from concord.ui.frame import enter, may_act
from concord.ui.language import say
from concord.ui.screens import splits as parts
from concord.ui.widgets import no_sheet, pick_sheet

store = enter(__file__)
sheet = pick_sheet(store)
if sheet is None:
    no_sheet(say("then choose which questions may be few-shot examples, and which are held out."))
    st.stop()

parts.headline(store, sheet)
parts.explanations()
if may_act(store):
    left, right = st.columns(2, gap="large")
    with left:
        st.subheader(say("Hold out a random sample"), anchor=False)
        parts.draw(store, sheet)
    with right:
        st.subheader(say("Move questions by hand"), anchor=False)
        parts.by_hand(store, sheet)
st.subheader(say("Questions by split"), anchor=False)
parts.listed(store, sheet)
parts.openings(store, sheet)
