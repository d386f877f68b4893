"""Annotators: how far those who grade agree, who is stricter, and whether to add a second one."""

import streamlit as st

from concord.messages import said
from concord.reports.reliability.document import too_few
from concord.ui.frame import enter, filters
from concord.ui.report_picker import no_grades, pick_report
from concord.ui.screens.annotate import annotators as parts
from concord.ui.screens.annotate.cached_annotators import annotator_agreement, browser_zone
from concord.ui.screens.annotate.contested_items import contested
from concord.ui.widgets import TO_SETS, empty

THEN = said("this screen shows inter-annotator agreement.")

store = enter(__file__)
report = pick_report(store, THEN)
if report is None:
    st.stop()
if not report.panel.annotators:
    no_grades(store, report.sheet, THEN)
    st.stop()

with filters():
    criterion = parts.pick_criterion(report)
zone = browser_zone()
found = annotator_agreement(report, criterion, zone)
name = f"{report.sheet.name}-{report.rubric.name}-{criterion}-annotators"
parts.headline(report, found)
if found.overall.n:
    parts.second_annotator(found, name)
    parts.strictness(found, name)
    parts.over_time(found, name)
    contested(store, report, found, name)
else:
    empty(*too_few(found), *TO_SETS)
