"""Review: one list of disagreements, contradicted claims and claims, with the texts beside it."""

import streamlit as st

from concord.messages import said
from concord.ui.frame import enter
from concord.ui.looker import agreed, pick_person
from concord.ui.screens.review.claims_kind import ClaimsKind
from concord.ui.screens.review.contradicted_kind import ContradictedKind
from concord.ui.screens.review.disagreements_kind import DisagreementKind
from concord.ui.screens.review.filter_bar import pick
from concord.ui.screens.review.review_work import work

store = enter(__file__)
kinds = pick(store, st.container(), (DisagreementKind, ContradictedKind, ClaimsKind))
if kinds is None:
    st.stop()

why = said("Your decisions are stored with your name.")
grader = pick_person(store, why)
if agreed(store, grader, tags=not all(one.is_read for one in kinds)):
    work(kinds, grader.name if grader else None)
