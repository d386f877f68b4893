"""The button that loads the sample, as `python cli.py demo` does."""

import streamlit as st

from concord.judges.baseline.demo import demo
from concord.samples.load import NAME, RUBRIC
from concord.store import sheets
from concord.store.database import Store
from concord.ui.actions import show_done
from concord.ui.frame import remember
from concord.ui.language import say
from concord.ui.widgets import next_screen_link


def sample_button(store: Store, primary: bool = False) -> None:
    """Offer the sample where it is not loaded; load it, run the baseline and say so."""
    if sheets.find(store, NAME) or not store.may_lead():
        return
    kind = "primary" if primary else "secondary"
    if not st.button(
        say("Load the sample"), type=kind, icon=":material/science:", key="sample.load"
    ):
        return
    with st.spinner(say("Loading the sample and running the baseline over it…")):
        st.session_state["sheets.said"] = demo(store, again=True)
    remember(sheet=NAME, rubric=RUBRIC)
    st.rerun()


def said() -> None:
    """Show the result of the last import, deletion or loading of the sample."""
    page, label = st.session_state.pop("sheets.next", None) or (None, "")
    if show_done("sheets.said") and page:
        next_screen_link(page, label)
