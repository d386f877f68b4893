"""The button that loads the sample, as `python cli.py demo` does."""

import streamlit as st

from data import rubric_versions, sheets
from data.samples.load import NAME, RUBRIC, load_sample
from data.store import Store
from ui.frame import remember
from ui.markdown import plain


def sample_button(store: Store, primary: bool = False) -> None:
    """Offer the sample where it is not loaded; load it, run the baseline and say so."""
    if sheets.find(store, NAME):
        return
    kind = "primary" if primary else "secondary"
    if not st.button("Load the sample", type=kind, icon=":material/science:", key="sample.load"):
        return
    from judges.baseline_run import run_baseline

    with st.spinner("Loading the sample and running the baseline over it…"):
        load_sample(store, again=True)
        sheet = sheets.find(store, NAME)
        outcome = run_baseline(store, sheet, *rubric_versions.named(store, RUBRIC))
    st.session_state["sheets.said"] = f"The sample is loaded. {outcome.sentence()}"
    remember(sheet=NAME, rubric=RUBRIC)
    st.rerun()


def said() -> None:
    """What an import, a deletion or the sample has just done."""
    sentence = st.session_state.pop("sheets.said", None)
    if sentence:
        st.success(plain(sentence), icon=":material/check:")
        st.toast(plain(sentence))  # in sight also where the screen stays scrolled down
