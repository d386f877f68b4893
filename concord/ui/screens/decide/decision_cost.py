"""Cost against agreement of the judges of a decision: the chart, and the figures behind it."""

import streamlit as st

from concord.messages import said
from concord.reports.decision.document import against, failing, judges
from concord.reports.decision.results import Choice
from concord.ui.chart import show_chart
from concord.ui.frame import recall, remember
from concord.ui.language import say
from concord.ui.render import show_table
from concord.ui.widgets import terms

_TERMS = (
    said("good enough"),
    "margin",
    said("interim look"),
    "ceiling",
    said("majority-class baseline"),
    said("failure recall"),
)


def costs(found: Choice, name: str) -> None:
    """Show cost against agreement: the chart, the judges and their failing verdicts."""
    st.subheader(say("Cost and agreement"), anchor=False)
    with st.container(horizontal=True):
        by = _pick_axis()
        terms(*_TERMS)
    show_chart(against(found, by), name)
    show_table(judges(found), name, in_full=True)
    show_table(failing(found), name, in_full=True)


def _pick_axis() -> str:
    options = {"cost_per_1000": say("Price"), "seconds": say("Seconds")}
    chosen = st.segmented_control(
        say("Horizontal axis"),
        list(options),
        default=recall("axis") if recall("axis") in options else "cost_per_1000",
        format_func=options.get,
        required=True,
        key="choose.axis",
        label_visibility="collapsed",
    )
    remember(axis=chosen)
    return chosen
