"""Build: a person reads every drafted question beside its document before anyone is asked."""

import streamlit as st

from ui import build as parts
from ui.frame import enter
from ui.widgets import empty, finding

store = enter(__file__)
name = parts.pick(store)
if name is None:
    finding("Which questions shall a new sheet ask?")
    empty(
        "No questions are drafted yet",
        "A model can draft questions from a folder of documents, each with a quote that must stand "
        "there. You then read and decide each one here. Begin on the command line:",
    )
    parts.first_command()
    st.stop()

parts.headline(store, name)
draft = parts.chosen(store, name)
if draft:
    document, form = st.columns([3, 2])
    with document:
        parts.document(store, draft)
    with form:
        parts.decide(store, draft)
parts.next_step(store, name)
parts.overview(store, name)
