"""Progress: a card per annotator, with alerts; for leads."""

import streamlit as st

from concord.messages import said
from concord.reports.reliability import annotator_cards
from concord.ui.frame import enter, may_act
from concord.ui.language import plain, say
from concord.ui.looker import leads
from concord.ui.report_picker import pick_report
from concord.ui.screens import annotators as parts
from concord.ui.screens.annotators import measured
from concord.ui.widgets import finding, terms

store = enter(__file__)
if not leads(store):
    only = said("Only leads see this. Ask a lead.")
    shown = said("Leads see a card per annotator here: progress, pace and alerts.")
    finding(said("Progress of each annotator"), only if may_act(store) else shown)
    st.stop()
report = pick_report(store, said("this screen shows each annotator's progress, alerts and speed."))
if report is None:
    st.stop()
found = annotator_cards.cards(store, report.panel, measured(report))
found = annotator_cards.alerts_first(found)
head = annotator_cards.headline(found)
finding(head.headline, *head.facts)
for one in found:
    for note in annotator_cards.notes(one):
        st.caption(plain(note))
terms("annotator alerts", "repeats", "speeding")
if not found:
    st.write(say("No annotator has graded this sheet or been assigned a grading set yet."))
for one in found:
    parts.card(one, report.panel)
