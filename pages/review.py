"""Review: one list of disagreements, contradicted claims and claims, with the texts beside it."""

import streamlit as st

from concord.ui.frame import enter
from concord.ui.looker import agreed, pick_person
from concord.ui.screens.review import pick, work

store = enter(__file__)
kinds = pick(store, st.container())
if kinds is None:
    st.stop()

grader = pick_person(store, "Your decisions are stored with your name.")
if agreed(store, grader, tags=any(one.decisions for one in kinds)):
    work(kinds, grader)
