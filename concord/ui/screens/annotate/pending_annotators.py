"""Pending annotators: those whose few grades wait to be accepted, and the button for it."""

import streamlit as st

from concord.reports.panel.panel import Panel
from concord.store import graders
from concord.store.database import Store
from concord.ui.actions import changing, show_refused
from concord.ui.language import plain, say
from concord.ui.screens.annotate.annotators import may_see

_NOTICE = "annotators.notice"


def accept(store: Store, panel: Panel) -> None:
    """Offer each pending annotator to those who may accept them."""
    show_refused(_NOTICE)
    if not may_see(store.who):
        return
    for person in panel.persons.values():
        if person.pending:
            row = st.container(horizontal=True, vertical_alignment="center")
            row.markdown(
                say(
                    "**{name}** has graded fewer than 10 answers, which are in no figure yet.",
                    name=plain(person.name),
                )
            )
            row.button(
                say("Accept {name}", name=plain(person.name)),
                key=f"annotators.accept.{person.id}",
                on_click=_accept,
                args=(person.id,),
            )


def _accept(person: int) -> None:
    with changing(_NOTICE) as store:
        graders.accept(store, person)
