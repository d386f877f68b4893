"""Choose: which judge is the cheapest that is good enough."""

import streamlit as st

from concord.reports.panel.choice import references
from concord.ui.actions import refusals
from concord.ui.frame import enter
from concord.ui.language import say
from concord.ui.reports import pick_graded, warned
from concord.ui.screens import decision as terms
from concord.ui.screens.comparison import link_to_flips
from concord.ui.widgets import empty, finding

store = enter(__file__)
report = pick_graded(store, say("this screen shows the cheapest judge that is good enough."))
if report is None:
    st.stop()

judges = references(report.panel)
if not judges:
    empty(
        say("There is no judge to choose"),
        say(
            "This screen shows the cheapest judge that is good enough. Only the baseline has "
            "graded this sheet. Run two judges: the one you would use if cost did not matter, and "
            "a cheaper one."
        ),
        "pages/judges.py",
        say("Go to Judges"),
    )
    st.stop()

decision = terms.standing(store, report)
if decision is None:
    finding(
        "Fix the terms of the decision",
        "Do this before you see the verdict: terms chosen afterwards can let any judge pass.",
    )
    warned(report)
    with refusals():
        terms.form(store, report, judges)
    st.stop()

name = f"{report.sheet.name}-{report.rubric.name}"
found = terms.result(store, report, decision)
if found:
    warned(report)
    if found.about and found.about != found.against:
        link_to_flips(found.about, found.against, found.sheet, found.rubric)
    terms.cascade_section(store, report, decision.criterion, name, decision.against)
terms.history(store, report, decision)
