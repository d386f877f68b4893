"""Fitted thresholds on screen, compared with the default ones."""

from collections.abc import Mapping

import streamlit as st

from concord.messages import said
from concord.reports.metrics import fitted_threshold, metric_validity, metrics_document
from concord.reports.metrics.fitted_threshold import FittedThreshold
from concord.reports.metrics.metric_records import Readings
from concord.reports.panel.panel import Panel
from concord.ui.glossary import terms
from concord.ui.language import say
from concord.ui.render import show_table
from concord.ui.spinner import spinning


def section(
    key: str, panel: Panel, found: Readings, criterion: str, usual: Mapping, name: str
) -> None:
    """Show the threshold of every metric; `key` identifies what is in the store."""
    st.subheader(say("Fitted thresholds"), anchor=False)
    st.caption(
        say(
            "Half of the questions choose the threshold that best separates what annotators pass "
            "from what they fail; its accuracy is measured on the other half. The default "
            "threshold stays in force elsewhere."
        )
    )
    terms(said("fitted cut"), said("balanced accuracy"), said("failing"))
    rows = _rows((key, criterion, tuple(sorted(usual.items()))), panel, found, dict(usual))
    show_table(fitted_threshold.table(rows), name)
    if len(rows) > 1:
        chance = "Of {n:,} metrics, one in forty is conclusively better by chance alone."
        st.caption(say(chance, n=len(rows)))


@spinning(said("Fitting thresholds…"))
@st.cache_data(max_entries=12, show_spinner=False)
def _rows(key: tuple, _panel: Panel, _found: Readings, _usual: dict) -> list[FittedThreshold]:
    return metrics_document.fitted(metric_validity.series(_found), _panel, key[1], _usual)
