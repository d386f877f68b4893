"""Metrics: their values on the sheet, which predicts annotators best, and what to do."""

import streamlit as st

from concord.ui.frame import enter
from concord.ui.reports import readings
from concord.ui.screens import metrics
from concord.ui.widgets import no_sheet, pick_sheet, switch

VIEWS = {
    "all": "All metrics",
    "one": "One metric",
    "annotators": "Against annotators",
    "columns": "By column",
    "vera": "VERA composite",
    "do": "Diagnosis",
}

store = enter(__file__)
title = st.container()
sheet = pick_sheet(store)
found = readings(store, sheet) if sheet else None
if not found or not found.records:
    if sheet is None:
        no_sheet("then metrics are computed, and this screen shows how valid they are.")
    else:
        metrics.lead_on()
    st.stop()

view = switch("Show", "view", VIEWS, label_visibility="collapsed")
with title:
    metrics.headline(store, sheet, found)
name = f"{sheet.name}-metrics"
if view == "all":
    metrics.whole(store, sheet, found, name)
elif view == "one":
    metrics.one(store, sheet, found, name)
elif view == "annotators":
    metrics.annotators(store, sheet, found, name)
elif view == "columns":
    metrics.by_column(store, sheet, found, name)
elif view == "vera":
    metrics.vera(store, sheet, found, name)
else:
    metrics.to_do(store, sheet, found, name)
metrics.closed(found)
