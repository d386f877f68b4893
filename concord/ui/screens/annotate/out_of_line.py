"""Annotators with an alert, by name, on the overview."""

import streamlit as st

from concord.messages import joined, said
from concord.model import Sheet
from concord.store.database import Store
from concord.store.rubrics import rubric_versions
from concord.ui.cached_reports import Report
from concord.ui.language import plain
from concord.ui.looker import leads
from concord.ui.screens.annotate.cached_annotators import measured
from concord.ui.widgets import next_screen_link


def alerts(store: Store, sheet: Sheet) -> None:
    """Name the annotators with an alert, to leads, with a link to the cards."""
    graded = rubric_versions.graded_first(store, sheet.id)
    if not graded or not leads(store):
        return
    report = Report(store, sheet, rubric_versions.named(store, graded[0])[1])
    found = measured(report)
    persons = report.panel.annotators
    names = [persons[one].name for one, its in found.items() if any(s.alert for s in its.signals)]
    if names:
        st.warning(
            plain(said("Annotators with an alert: {names}", names=joined(", ", sorted(names)))),
            icon=":material/person_alert:",
        )
        next_screen_link("pages/progress.py", said("See their cards"))
