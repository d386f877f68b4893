"""Disagreements: where a judge and annotators differ, worst first, and what each came from."""

import streamlit as st

from concord.messages import said
from concord.ui.frame import enter
from concord.ui.looker import agreed
from concord.ui.report_picker import pick_graded
from concord.ui.screens.review.disagreements_pick import listed, pick
from concord.ui.screens.review.disagreements_work import headline, worded_anew, work

store = enter(__file__)
report = pick_graded(
    store, said("this screen lists where a judge and annotators differ, worst first.")
)
if report is None:
    st.stop()

title = st.container()
wanted, grader = pick(store, report)
found = listed(store, report, wanted)
with title:
    headline(report, found)
    worded_anew(store, report, found)
if agreed(grader, tags=True):
    work(report, found, grader.name if grader else None)
