"""Annotators with an open alert, and flags without a reply, on the overview."""

import streamlit as st

from concord.messages import joined, said
from concord.model import Sheet
from concord.reports.workflow import flags
from concord.store.database import Store
from concord.store.rubrics import rubric_versions
from concord.ui.cached_reports import Report, open_alerts
from concord.ui.language import plain
from concord.ui.looker import leads
from concord.ui.widgets import next_screen_link


def alerts(store: Store, sheet: Sheet) -> None:
    """Show leads the flags without a reply and the annotators with an open alert, with links."""
    if not leads(store):
        return
    asked = flags.of_sheet(store, sheet.id, sheet.name)
    if asked.open:
        st.info(plain(flags.document(asked).headline), icon=":material/flag:")
        next_screen_link("pages/annotate.py", said("Read and reply"))
    graded = rubric_versions.graded(store, sheet.id)
    if not graded:
        return
    report = Report(store, sheet, rubric_versions.named(store, graded[0])[1])
    names = dict.fromkeys(one.annotator for one in open_alerts(report))
    if names:
        words = said("Annotators with an alert: {names}", names=joined(", ", names))
        st.warning(plain(words), icon=":material/person_alert:")
        next_screen_link("pages/progress.py", said("See their cards"))
