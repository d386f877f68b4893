"""Progress: a card per annotator, with alerts; for leads."""

import streamlit as st

from concord.messages import said
from concord.reports.reliability import annotator_cards
from concord.ui.frame import enter, filters, may_act
from concord.ui.language import say
from concord.ui.looker import leads
from concord.ui.report_picker import pick_report
from concord.ui.screens.annotate import annotator_cards as parts
from concord.ui.screens.annotate.annotators import pick_criterion, quality
from concord.ui.screens.annotate.cached_annotators import browser_zone, measured
from concord.ui.widgets import finding

store = enter(__file__)
if not leads(store):
    only = said("Only leads see this. Ask a lead.")
    shown = said("Leads see a card per annotator here: progress, pace and alerts.")
    finding(said("Progress of each annotator"), only if may_act(store) else shown)
    st.stop()
report = pick_report(store, said("this screen shows each annotator's progress, alerts and speed."))
if report is None:
    st.stop()
signals = measured(report)
found = annotator_cards.most_alerts_first(annotator_cards.cards(store, report.panel, signals))
with filters():
    criterion = pick_criterion(report)
parts.headline(found, annotator_cards.with_open_alert(store, report.panel, signals))
if not found:
    st.write(say("No annotator has graded this sheet or been assigned a grading set yet."))
for one in found:
    parts.card(store, one, report.panel, criterion)
name = f"{report.sheet.name}-{report.rubric.name}-{criterion}-annotators"
quality(store, report, criterion, browser_zone(), name)
