"""Certificate: what is certified of a judge, for whom, on what, and until when."""

import streamlit as st

from data import certificates
from ui import certificate
from ui.frame import enter
from ui.language import say
from ui.not_yet import missing
from ui.report import pick_report

store = enter(__file__)
report = pick_report(
    store, say("this screen writes down what is certified of a judge, and until when.")
)
if report is None or missing(store, report.sheet, report.panel):
    st.stop()

kept = certificates.of_sheet(store, report.sheet.id)
certificate.headline(store, kept)
certificate.write(store, report, first=not kept)
if kept:
    certificate.read(store, kept)
