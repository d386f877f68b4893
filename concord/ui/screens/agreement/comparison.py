"""Comparison on screen: variants side by side."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from concord.messages import said
from concord.reports.comparison import compare_document
from concord.ui import render
from concord.ui.chart import show_chart
from concord.ui.language import plain
from concord.ui.screens.agreement import cached_comparison
from concord.ui.screens.agreement.cached_comparison import ComparedSheet
from concord.ui.screens.agreement.compare_pick import CompareChoice
from concord.ui.widgets import TO_JUDGES, next_screen_link, terms

_TERMS = (
    *("variant", "distance", "skill", said("same answers"), said("paired difference"), "spread"),
    *("test-retest", "ccc", "QWK", "exact", said("failure recall"), "bias", said("model ranking")),
    *("composite", "baseline"),
)


def side_by_side(found: ComparedSheet, choice: CompareChoice, title: DeltaGenerator) -> None:
    """Show the whole view, its finding at `title`."""
    compared = cached_comparison.compared(found, *choice)
    name = f"{found.sheet.name}-compare-{choice.target}"
    shown = compare_document.document(compared)
    with title:
        render.head(shown, in_one=True)
    if compared.weighting:
        st.caption(plain(compared.weighting))
    terms(*_TERMS)
    if shown.charts:  # columns for both, so that one alone is no wider
        for place, chart in zip(st.columns([3, 2], gap="large"), shown.charts, strict=False):
            with place:
                show_chart(chart, name)
    render.body(shown, name, in_full=True)
    next_screen_link(*TO_JUDGES)
