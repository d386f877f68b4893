"""Review: one list of disagreements, contradicted claims and claims, with the texts beside it."""

import streamlit as st

from concord.ui.frame import enter
from concord.ui.looker import agreed, pick_person
from concord.ui.screens.review import pick, work
from concord.ui.screens.review_claims import ClaimsKind
from concord.ui.screens.review_contradicted import ContradictedKind
from concord.ui.screens.review_disagreements import DisagreementKind

store = enter(__file__)
kinds = pick(store, st.container(), (DisagreementKind, ContradictedKind, ClaimsKind))
if kinds is None:
    st.stop()

why = "Your decisions are stored with your name."
grader = pick_person(store, why)
if agreed(store, grader, tags=any(one.decisions for one in kinds)):
    work(kinds, grader.name if grader else None)
