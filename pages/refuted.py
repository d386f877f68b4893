"""Refuted: units that judges call contradicted; a person confirms or overturns each."""

import streamlit as st

from ui import refuted
from ui.frame import enter
from ui.widgets import empty, finding, no_sheet, pick_sheet

store = enter(__file__)
title = st.container()
sheet = pick_sheet(store)
found, grader = refuted.pick(store, sheet) if sheet else (None, None)
with title:
    if found is None:
        finding("Which refutations of a judge are right?")
    else:
        refuted.headline(found)
if sheet is None:
    no_sheet("then a judge for measures checks their claims.")
elif found is None:
    empty(
        "No judge has checked claims yet",
        "Run a judge for measures; what it calls contradicted is listed here, one by one.",
        "pages/judges.py",
        "To the judges",
    )
elif not found.listed:
    st.write("No judge calls anything contradicted here.")
else:
    refuted.work(store, found, grader)
