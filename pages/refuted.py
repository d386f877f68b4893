"""Refuted: units that judges call contradicted; a person confirms or overturns each."""

import streamlit as st

from ui import refuted
from ui.frame import enter
from ui.language import say
from ui.widgets import empty, finding, no_sheet, pick_sheet
from words.said import said

store = enter(__file__)
title = st.container()
sheet = pick_sheet(store)
found, grader = refuted.pick(store, sheet) if sheet else (None, None)
with title:
    if found is None:
        finding(said("Which refutations of a judge are right?"))
    else:
        refuted.headline(found)
if sheet is None:
    no_sheet(said("then a judge for measures checks their claims."))
elif found is None:
    empty(
        said("No judge has checked claims yet"),
        said("Run a judge for measures; what it calls contradicted is listed here, one by one."),
        "pages/judges.py",
        said("To the judges"),
    )
elif not found.listed:
    st.write(say("No judge calls anything contradicted here."))
else:
    refuted.work(store, found, grader)
