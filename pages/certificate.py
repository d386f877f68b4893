"""Certificate: what is certified of a judge, for whom, on what, and until when."""

import streamlit as st

from concord.reports.certificate.certificate import of_sheet
from concord.ui.frame import enter, may_act
from concord.ui.language import say
from concord.ui.reports import pick_graded
from concord.ui.screens import certificate

store = enter(__file__)
report = pick_graded(
    store, say("this screen shows what is certified about a judge, and until when.")
)
if report is None:
    st.stop()

kept = of_sheet(store, report.sheet.id)
certificate.headline(store, kept)
if may_act(store):
    certificate.write(store, report, first=not kept)
certificate.read(store, kept)
