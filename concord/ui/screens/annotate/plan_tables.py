"""The plan screen: sample sizes, power curves, hours and minimum sizes."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from concord.reports.planning import document
from concord.reports.planning.plan import Plan
from concord.ui import render
from concord.ui.chart import show_charts
from concord.ui.language import plain, say
from concord.ui.widgets import terms


def weighted(found: Plan) -> None:
    """Say that figures are weighted, where a set was sampled unequally."""
    if found.reweighted:
        st.info(
            say(
                "A grading set of this sheet has unequal inclusion probabilities. Every figure is "
                "weighted by their inverse, so none is biased by that."
            ),
            icon=":material/balance:",
        )


def tables(found: Plan) -> DeltaGenerator:
    """Show the sample size, what usual pilots give, the annotators, hours and minimum sizes.

    Returns:
        The place of the power curves, among them, which are not simulated yet.
    """
    terms("power", "half-width", "margin", "pilot", "enriched")
    name = _name(found)
    sizes, _, *parts, floors = document.document(found).tables
    render.show_table(sizes, name, in_full=True)
    power = st.container()
    left, right = st.columns(2, gap="large")
    for place, table in zip((left, right, left), parts, strict=True):
        with place:
            render.show_table(table, name, in_full=True)
    with st.expander(say(floors.title), icon=":material/rule:"):
        render.show_table(floors, name, in_full=True, titled=False)
    return power


def curves(found: Plan) -> None:
    """Show the power curves and their table."""
    shown, name = document.document(found), _name(found)
    power = shown.tables[1]
    st.markdown(f"**{plain(power.title)}**")
    show_charts(shown, name)
    render.show_table(power, name, in_full=True, titled=False)


def _name(found: Plan) -> str:
    """What the downloads' names begin with."""
    return f"{found.sheet}-plan"
