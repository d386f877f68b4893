"""The terms of a decision once they are fixed."""

from collections.abc import Iterable

import streamlit as st

from concord.messages import joined
from concord.reports.decision.terms import label
from concord.reports.decision.terms_review import fixed_terms
from concord.store.decisions import Decision
from concord.ui.cached_reports import Report
from concord.ui.language import plain
from concord.ui.render import show_table


def in_full(report: Report, decision: Decision) -> None:
    """Show every term, with the annotators who count and the planned number."""
    st.caption(plain(label(decision)))
    show_table(fixed_terms(report.panel, decision), "choose-terms", in_full=True)


def caption(decision: Decision, look: Iterable[str]) -> None:
    """Show what the decision is about and the sentences on a look at it."""
    st.caption(f":material/lock: {plain(joined(' ', [label(decision), *look]))}")
