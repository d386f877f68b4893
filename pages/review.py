"""Review: disagreements, claims and contradicted claims, each with the texts it rests on."""

import streamlit as st

from concord.messages import said
from concord.ui.frame import enter, filters
from concord.ui.looker import agreed, pick_person
from concord.ui.screens.review import claims_list, contradicted_claims, disagreements_list
from concord.ui.screens.review.review_work import work
from concord.ui.widgets import select

LISTS = {
    "disagreements": (said("Disagreements"), disagreements_list.pick),
    "claims": (said("Claims"), claims_list.pick),
    "contradicted": (said("Contradicted claims"), contradicted_claims.pick),
}

store = enter(__file__)
title = st.container()
with filters():
    titles = {name: words for name, (words, _) in LISTS.items()}
    chosen = select(said("Review"), "list", titles, "disagreements", "disagreements")
read = LISTS[chosen][1](store, title)
if read is None:
    st.stop()

why = said("Your decisions are stored with your name.")
grader = pick_person(store, why)
if agreed(grader, tags=chosen != "claims"):
    work(read, grader.name if grader else None)
