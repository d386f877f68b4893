"""The best judge's agreement on the start screen, computed once for a state of the store."""

import streamlit as st

from concord.messages import said
from concord.reports.agreement import headline
from concord.reports.panel import candidates
from concord.rubrics.model import Rubric
from concord.store.database import Store
from concord.store.rubrics import rubric_versions
from concord.store.sheets import Sheet
from concord.store.version_key import state
from concord.ui.cached_reports import Report
from concord.ui.spinner import spinning


def best_figure(store: Store, sheet: Sheet) -> str | None:
    """The best judge's exact agreement on a sheet in a few words; None where it is undefined."""
    graded = rubric_versions.graded(store, sheet.id)
    if not graded:
        return None
    _, rubric = rubric_versions.named(store, graded[0])
    found = _headline((state(store, sheet), rubric.body()), store, sheet, rubric)
    return found.sentence() if found else None


def could_be_seen(store: Store, sheet: Sheet) -> bool:
    """Whether a judge's agreement can be computed by now, on any criterion."""
    for rubric_id in rubric_versions.graded(store, sheet.id):
        _, rubric = rubric_versions.named(store, rubric_id)
        panel = Report(store, sheet, rubric).panel
        if any(candidates.could_be_seen(panel, one.name) for one in rubric.criteria):
            return True
    return False


@spinning(said("Reading the grades…"))
@st.cache_data(max_entries=24, show_spinner=False)
def _headline(
    key: tuple, _store: Store, _sheet: Sheet, _rubric: Rubric
) -> headline.Headline | None:
    # One criterion is read here and not the panel: the start screen opens first and often.
    return headline.headline(_store, _sheet, _rubric)
