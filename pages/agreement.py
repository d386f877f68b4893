"""Agreement: each judge against the annotators, the human ceiling and the majority class."""

import streamlit as st

from concord.reports.agreement.document import finding
from concord.ui import render
from concord.ui.frame import enter
from concord.ui.language import plain, say
from concord.ui.reports import open_alerts, pick_graded, warned
from concord.ui.screens.agreement import details, pick, rows_of, without_alerted

THEN = "this screen says how far the judges may be trusted."

store = enter(__file__)
report = pick_graded(store, THEN, units=True, means=True)
if report is None:
    st.stop()

choice = pick(report)
rows, chosen = rows_of(report, choice)
if chosen is None:
    st.info(
        say(
            "{judge} has not graded {criterion}. Choose another criterion or another judge.",
            judge=plain(choice.judge),
            criterion=plain(report.rubric.headings()[choice.criterion]),
        )
    )
    st.stop()
without = without_alerted(report, chosen)
render.head(finding(chosen, report.rubric, open_alerts(report), without), in_one=True)
warned(report)
details(report, choice, f"{report.sheet.name}-{report.rubric.name}")
