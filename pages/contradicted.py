"""Contradicted claims: an annotator confirms or overturns each unit called contradicted."""

import streamlit as st

from concord.messages import said
from concord.ui.frame import enter
from concord.ui.language import say
from concord.ui.screens.review import contradicted_claims
from concord.ui.widgets import TO_JUDGES, empty, finding, no_sheet, pick_sheet

store = enter(__file__)
title = st.container()
sheet = pick_sheet(store)
found, grader = contradicted_claims.pick(store, sheet) if sheet else (None, None)
with title:
    if found is None:
        finding(said("Which refutations of a judge are right?"))
    else:
        contradicted_claims.headline(found)
if sheet is None:
    no_sheet(said("then a metric judge checks their claims."))
elif found is None:
    empty(
        said("No judge has checked claims yet"),
        said("Run a metric judge; the claims it calls contradicted are listed here."),
        *TO_JUDGES,
    )
elif not found.listed:
    st.write(say("No judge found a contradiction here."))
else:
    contradicted_claims.work(store, found, grader)
