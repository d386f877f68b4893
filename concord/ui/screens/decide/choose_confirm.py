"""Confirmation of the terms of a choice: what becomes final, and the buttons that fix it."""

import streamlit as st

from concord.model import Grader
from concord.reports.decision import choose, terms_review
from concord.reports.decision.results import Terms
from concord.reports.decision.terms import changed_now
from concord.store.database import Store
from concord.store.decisions import Decision
from concord.ui.actions import refusals
from concord.ui.cached_reports import Report
from concord.ui.frame import remember
from concord.ui.language import plain, say
from concord.ui.render import show_table

NEW = "new"  # the value of the URL that asks for other terms
REVIEWED = "choose.reviewed"


def confirm(store: Store, found: Report, against: Grader, terms: Terms, criterion: str) -> None:
    """Show what becomes final, and fix it at a press of a button of its own."""
    with refusals():
        decision = choose.fixed(store, found.panel, against, terms, criterion)
        if decision:
            _open(decision)
        proposed = choose.proposed(store, found.panel, against, terms, criterion)
        changed = changed_now(store, found.panel, proposed)
        show_table(terms_review.final_terms(found.panel, proposed, changed), "choose", in_full=True)
        final = choose.is_final(found.panel, proposed)
        for warning in terms_review.warnings(found.panel, proposed, final):
            st.warning(plain(warning))
        st.caption(say("To change a term, change it above and review the terms again."))
        why_not = store.why_no_lead()
        of_both = {"icon": ":material/lock:", "disabled": why_not is not None}
        with st.container(horizontal=True):
            label = say("Fix terms and take an interim look")
            looked = st.button(label, type="primary", key="choose.fix_and_look", **of_both)
            fixed = st.button(say("Fix terms only"), key="choose.fix", **of_both)
        if why_not:
            st.caption(plain(why_not))
        if looked or fixed:
            decision = choose.fix(store, found.panel, against, terms, criterion)
            if looked:
                choose.look(store, found.panel, decision)
            _open(decision)


def other_terms() -> None:
    """Offer to fix new terms, which make another decision."""
    if st.button(say("Fix new terms"), icon=":material/add:", key="choose.other"):
        remember(decision=NEW)
        st.rerun()


def _open(decision: Decision) -> None:
    del st.session_state[REVIEWED]
    remember(decision=decision.id, criterion=None, figure=None, against=None)
    st.rerun()
