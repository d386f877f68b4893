"""Annotators: how far those who grade agree, and who is stricter."""

from dataclasses import replace

import streamlit as st

from concord.messages import said
from concord.reports.reliability import annotators
from concord.ui import render
from concord.ui.chart import show_charts
from concord.ui.frame import enter, filters
from concord.ui.report_picker import no_grades, pick_report, warned
from concord.ui.screens.annotators import agreement_document, annotator_agreement, contested
from concord.ui.widgets import TO_SETS, empty, select, terms

THEN = said("this screen shows inter-annotator agreement.")
WORDS = ("exact", said("within one"), "QWK", "alpha", "ceiling", "strictness")

store = enter(__file__)
report = pick_report(store, THEN)
if report is None:
    st.stop()
if not report.panel.annotators:
    no_grades(store, report.sheet, THEN)
    st.stop()

with filters():
    first = report.rubric.heaviest().name
    criterion = select(said("Criterion"), "criterion", report.rubric.headings(), first)
found = annotator_agreement(report, criterion)
name = f"{report.sheet.name}-{report.rubric.name}-{criterion}-annotators"
part = agreement_document(report, found)
render.head(part)
warned(report)
terms(*WORDS)
if not found.overall["n"]:
    empty("No answer counts as graded by two annotators", annotators.why_alone(found), *TO_SETS)
    st.stop()
show_charts(part, name)
st.caption(annotators.STRICTNESS)
render.body(replace(part, tables=part.tables[:-1]), name, in_full=True)
contested(store, report, found, name)
