"""Pending annotators: those whose few grades wait to be accepted, and the button for it."""

import streamlit as st

from concord.messages import said
from concord.reports.panel.panel import Panel
from concord.reports.panel.sheet_grading import PENDING
from concord.store import graders
from concord.store.database import Store
from concord.ui.actions import refusals
from concord.ui.language import plain, say
from concord.ui.screens.annotate.annotators import may_see


def accept(store: Store, panel: Panel) -> None:
    """Offer each pending annotator to those who may accept them."""
    if not may_see(store.who):
        return
    for person in panel.persons.values():
        if person.pending:
            row = st.container(horizontal=True, vertical_alignment="center")
            row.markdown(plain(said(PENDING, name=person.name)))
            label = say("Accept {name}", name=plain(person.name))
            if row.button(label, key=f"annotators.accept.{person.id}"):
                with refusals():
                    graders.accept(store, person.id)
                    st.rerun()
