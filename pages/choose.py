"""Choose: which judge is the cheapest that is good enough."""

import streamlit as st

from reports.candidates import references
from ui import cascade, holds
from ui import choose_form as terms
from ui import choose_result as parts
from ui.agreement_more import warned
from ui.frame import enter
from ui.language import say
from ui.not_yet import missing
from ui.report import pick_report
from ui.widgets import empty, finding

store = enter(__file__)
report = pick_report(
    store, say("this screen says which judge is the cheapest that is good enough.")
)
if report is None or missing(store, report.sheet, report.panel):
    st.stop()

judges = references(report.panel)
if not judges:
    finding(say("Which judge is good enough?"))
    empty(
        say("There is no judge to choose"),
        say(
            "Only the baseline has graded this sheet, and it is the floor. Run two judges: the one "
            "you would use if money were no matter, and a cheaper one."
        ),
        "pages/judges.py",
        say("To the judges"),
    )
    st.stop()

decision = terms.standing(store, report)
if decision is None:
    terms.form(store, report, judges)
    st.stop()

name = f"{report.sheet.name}-{report.rubric.name}"
found = parts.result(store, report, decision)
if found:
    warned(report.annotator_warnings(decision.criterion))
    parts.judges(found, name)
    parts.conditions(found, name)
    if found["about"]:
        holds.section(store, report, decision, found["about"])
        parts.beside_reference(found)
    cascade.section(store, report, decision.criterion, name, decision.against)
parts.history(store, report, decision)
