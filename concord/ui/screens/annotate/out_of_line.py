"""Annotators with an alert who are not paused, and flags without a reply, on the overview."""

import streamlit as st

from concord.grading import pauses
from concord.messages import joined, said
from concord.model import Sheet
from concord.reports.workflow import flags
from concord.store.database import Store
from concord.store.rubrics import rubric_versions
from concord.ui.cached_reports import Report
from concord.ui.language import plain
from concord.ui.looker import leads
from concord.ui.screens.annotate.cached_annotators import measured
from concord.ui.widgets import next_screen_link


def alerts(store: Store, sheet: Sheet) -> None:
    """Show leads the flags without a reply and the annotators with an alert, with links.

    A paused annotator keeps the alert on the card alone.
    """
    if not leads(store):
        return
    asked = flags.of_sheet(store, sheet.id, sheet.name)
    if asked.open:
        st.info(plain(flags.document(asked).headline), icon=":material/flag:")
        next_screen_link("pages/annotate.py", said("Read and reply"))
    graded = rubric_versions.graded_first(store, sheet.id)
    if not graded:
        return
    report = Report(store, sheet, rubric_versions.named(store, graded[0])[1])
    found = measured(report)
    persons = report.panel.annotators
    raised = [one for one, its in found.items() if any(s.alert for s in its.signals)]
    names = [persons[one].name for one in raised if not pauses.of(store, one)]
    if names:
        words = said(
            # Their cards name the paused ones, too.
            "Annotators with an alert who are not paused: {names}"
            if len(names) < len(raised)
            else "Annotators with an alert: {names}",
            names=joined(", ", sorted(names)),
        )
        st.warning(plain(words), icon=":material/person_alert:")
        next_screen_link("pages/progress.py", said("See their cards"))
