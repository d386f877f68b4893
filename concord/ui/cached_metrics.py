"""Numbers of a sheet on screen: read once for a state of the store, and who gave which."""

from functools import partial

import streamlit as st

from concord import metrics
from concord.messages import said
from concord.reports.metrics import diagnosis, metric_records, similarity_baseline
from concord.reports.metrics.metric_records import Readings, short
from concord.stats.comparison.similarity_baseline import Unrelated
from concord.store.database import Store
from concord.store.sheets import Sheet
from concord.store.version_key import state
from concord.ui.spinner import spinning
from concord.ui.widgets import select


def readings(store: Store, sheet: Sheet) -> Readings:
    """Every number on a sheet; not to be changed."""
    return _readings(state(store, sheet), store, sheet)


def title(metric: str) -> str:
    """A metric as annotators read it; its name where its file is gone."""
    found = metrics.found().get(metric)
    return found.title if found else metric


def pick_judge(found: Readings) -> str:
    """The judge for metrics whose numbers are shown, the one with the most to begin with."""
    labels = [one.judge for one in found.records]
    names = sorted(set(labels), key=lambda label: (-labels.count(label), label))
    return select(said("Found by"), "by", short(names), names[0])


@spinning(said("Reading the metrics…"))
@st.cache_resource(max_entries=4, show_spinner=False)
def _readings(key: str, _store: Store, _sheet: Sheet) -> Readings:
    return metric_records.read(_store, _sheet)


def unrelated(store: Store, sheet: Sheet, metric: str, grader_id: int) -> Unrelated | None:
    """The null distribution of a metric of likeness, kept while nothing changes."""
    if metric not in similarity_baseline.HELD:
        return None
    return _unrelated((state(store, sheet), metric, grader_id), store, sheet)


@spinning(said("Comparing texts that have nothing in common…"))
@st.cache_resource(max_entries=8, show_spinner=False)
def _unrelated(key: tuple, _store: Store, _sheet: Sheet) -> Unrelated | None:
    return similarity_baseline.of_sheet(_store, _sheet, key[1], key[2])


def failing(store: Store, sheet: Sheet, found: Readings, cut: float) -> list[dict]:
    """What to look at where answers fail below a share of a metric's range; not to be changed."""
    cuts = similarity_baseline.cuts(found, partial(unrelated, store, sheet))
    return _failing((state(store, sheet), cut), found, cuts)


@spinning(said("Looking for failing answers…"))
@st.cache_data(max_entries=8, show_spinner=False)
def _failing(key: tuple, _found: Readings, _cuts: dict) -> list[dict]:
    return diagnosis.rows(_found, key[1], _cuts)
