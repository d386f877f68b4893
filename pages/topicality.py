"""Topicality: segment analysis of metrics, one segment compared with the others."""

import streamlit as st

from concord.messages import said
from concord.reports.segments import segment_analysis
from concord.ui import render
from concord.ui.frame import enter
from concord.ui.screens.agreement import segments as parts
from concord.ui.widgets import TO_JUDGES, empty, no_sheet, pick_sheet

store = enter(__file__)
sheet = pick_sheet(store)
if sheet is None:
    no_sheet(said("then this screen compares questions about a topic with others."))
    st.stop()

headline = st.container()
sets = parts.choose(store, sheet)
if sets is None:
    st.stop()
found = parts.report(store, sheet, sets) if any(one.records for one in sets.sets) else None
if found is None or not found.metrics:
    with headline:
        empty(
            said("No metric has values for these answers yet"),
            said(
                "This screen compares the metrics of questions about a topic with those of others. "
                "Run the computed metrics, which are free, or a metric judge."
            ),
            *TO_JUDGES,
            judge="computed",
        )
    st.stop()

document = segment_analysis.document(found)
with headline:
    render.head(document)
name = f"{sheet.name}-topicality"
parts.pictures(document, name)
render.body(document, name, in_full=True)
parts.errors(found, name)
parts.explanations()
