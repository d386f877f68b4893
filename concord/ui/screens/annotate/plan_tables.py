"""The plan screen: sample sizes, power curves, hours and minimum sizes."""

from dataclasses import replace

import streamlit as st

from concord.reports.planning import document
from concord.reports.planning.plan import Plan
from concord.ui import render
from concord.ui.chart import show_charts
from concord.ui.language import plain, say
from concord.ui.widgets import each_explained


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


def tables(found: Plan) -> None:
    """Show the sample size, what usual pilots give, the annotators, hours and minimum sizes."""
    each_explained("power", "half-width", "margin", "pilot", "enriched")
    name = f"{found.sheet}-plan"
    shown = document.document(found)
    sizes, power, *parts, floors = shown.tables
    render.show_table(sizes, name, in_full=True)
    st.markdown(f"**{plain(power.title)}**")
    show_charts(shown, name)
    render.show_table(replace(power, title=""), name, in_full=True)
    left, right = st.columns(2, gap="large")
    for place, table in zip((left, right, left), parts, strict=True):
        with place:
            render.show_table(table, name, in_full=True)
    with st.expander(say(floors.title), icon=":material/rule:"):
        render.show_table(replace(floors, title=""), name, in_full=True)
