"""Roles: which questions judges may be shown, which are scored, and which stay sealed."""

import streamlit as st

from concord.ui.frame import enter
from concord.ui.language import say
from concord.ui.screens.data import splits as parts
from concord.ui.widgets import finding, no_sheet, pick_sheet

store = enter(__file__)
sheet = pick_sheet(store)
if sheet is None:
    finding(say("What may judges be shown, and what is kept unseen?"))
    no_sheet(
        say("then say which questions may be examples, and which are sealed for a certificate.")
    )
    st.stop()

parts.headline(store, sheet)
parts.explanations()
left, right = st.columns(2, gap="large")
with left:
    st.subheader(say("Seal questions by draw"), anchor=False)
    parts.draw(store, sheet)
with right:
    st.subheader(say("Give questions a role by hand"), anchor=False)
    parts.by_hand(store, sheet)
st.subheader(say("Every question and its role"), anchor=False)
parts.listed(store, sheet)
parts.openings(store, sheet)
