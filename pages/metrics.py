"""Metrics: their values on the sheet, which predicts annotators best, and what to do."""

import streamlit as st

from concord.messages import said
from concord.ui.cached_metrics import readings
from concord.ui.frame import enter
from concord.ui.screens.metrics import diagnosis, metric_validity, no_metrics, one_metric
from concord.ui.screens.metrics import metrics as parts
from concord.ui.widgets import no_sheet, pick_sheet, switch

VIEWS = {
    "all": said("All metrics"),
    "one": said("One metric"),
    "annotators": said("Against annotators"),
    "columns": said("By column"),
    "vera": said("VERA composite"),
    "do": said("Diagnosis"),
}

store = enter(__file__)
title = st.container()
sheet = pick_sheet(store)
found = readings(store, sheet) if sheet else None
if not found or not found.records:
    if sheet is None:
        no_sheet(said("then metrics are computed, and this screen shows how valid they are."))
    else:
        no_metrics.lead_on()
    st.stop()

with title:
    metric_validity.headline(store, sheet, found)
view = switch(said("Show"), "view", VIEWS, label_visibility="collapsed")
name = f"{sheet.name}-metrics"
if view == "all":
    parts.whole(found, name)
elif view == "one":
    one_metric.one(store, sheet, found, name)
elif view == "annotators":
    metric_validity.annotators(store, sheet, found, name)
elif view == "columns":
    parts.by_column(store, sheet, found, name)
elif view == "vera":
    parts.vera(store, sheet, found, name)
else:
    diagnosis.to_do(store, sheet, found, name)
parts.closed(found)
