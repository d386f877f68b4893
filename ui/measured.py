"""Numbers of a sheet on screen: read once for a state of the store, and who gave which."""

import streamlit as st

import metrics
from data.sheets import Sheet
from data.state import state
from data.store import Store
from reports import measured
from reports.measured import Readings, short
from ui.spinner import spinning
from ui.widgets import select
from words.said import said


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
    return measured.read(_store, _sheet)
