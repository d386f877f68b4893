"""Numbers of a sheet on screen: read once for a state of the store, and who gave which."""

import streamlit as st

from concord import metrics
from concord.messages import said
from concord.reports.metrics import metric_records
from concord.reports.metrics.metric_records import Readings, short
from concord.store.database import Store
from concord.store.sheets import Sheet
from concord.store.version_key import state
from concord.ui.spinner import spinning
from concord.ui.widgets import select


def readings(store: Store, sheet: Sheet) -> Readings:
    """Every number on a sheet; not to be changed."""
    return _readings(state(store, sheet), store, sheet)


def title(measure: str) -> str:
    """A measure as people read it; its name where its file is gone."""
    found = metrics.found().get(measure)
    return found.title if found else measure


def pick_judge(found: Readings) -> str:
    """The judge for measures whose numbers are shown, the one with the most to begin with."""
    labels = [one.judge for one in found.records]
    names = sorted(set(labels), key=lambda label: (-labels.count(label), label))
    return select(said("Found by"), "by", short(names), names[0])


@spinning(said("Reading the measures…"))
@st.cache_resource(max_entries=4, show_spinner=False)
def _readings(key: str, _store: Store, _sheet: Sheet) -> Readings:
    return metric_records.read(_store, _sheet)
