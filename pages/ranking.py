"""Ranking: in which order people and a judge put the answering models, and how sure that is."""

import streamlit as st

from concord.messages import said
from concord.reports.ranking import order_findings as words
from concord.ui import weights
from concord.ui.cached_reports import pick_report
from concord.ui.frame import enter
from concord.ui.language import say
from concord.ui.screens.agreement import calibration_map, corrected
from concord.ui.screens.agreement import ranking as parts
from concord.ui.screens.agreement.cached_ranking import ranking_by_criterion
from concord.ui.widgets import empty, finding

DRAW = ("pages/grading.py", said("Draw a grading set and grade"))
RUN = ("pages/judges.py", said("To the judges"))

store = enter(__file__)
report = pick_report(
    store,
    said("this screen says whether judges put the answering models in the same order as people."),
)
if report is None:
    st.stop()
if len(report.panel.answer_models) < 2:
    finding(parts.QUESTION)
    empty(
        said("There are no two answering models"),
        said(
            "A ranking takes answers of two answering models or more: import those of another one, "
            "or import the sheet with the column mapped that names the model."
        ),
        "pages/sheets.py",
        said("Import more answers"),
    )
    st.stop()

found = parts.ranking(report)
order = parts.pick_judge(found["orders"])
name = f"{report.sheet.name}-{report.rubric.name}-ranking"
by_people = words.by_people(found)
comparable = bool(order and words.comparable(order))
if comparable:
    parts.headline(found, order)
else:
    parts.without_judge(found)
parts.exploration(report.rubric)

if comparable:
    left, right = st.columns([3, 2], gap="large")
    with left:
        parts.chart(found, order, name)
    with right:
        st.subheader(say("How sure is the order?"), anchor=False)
        parts.certainty(order)
elif not by_people:
    why = said("It takes every criterion of some answers of each model.")
    empty(said("People have not graded two answering models yet"), why, *DRAW)
elif order is None:
    why = said("Run a judge, or the baseline, to see whether it puts the models in the same order.")
    empty(said("No judge has graded yet"), why, *RUN)
else:
    why = said("Let the judge grade every criterion of the answers that people have graded.")
    empty(words.title(order), why, *RUN)

if len(report.rubric.criteria) > 1:
    with st.expander(say("Explore other weights"), icon=":material/tune:"):
        st.caption(say("Only this screen, and a link to it, takes these weights."))
        weights.sliders(report.rubric)
if len(found["orders"]) > 1:
    st.subheader(say("Every judge beside people"), anchor=False)
    parts.every_judge(found, name)
if comparable and len(report.rubric.criteria) > 1:
    st.subheader(say("Order by each criterion"), anchor=False)
    parts.by_criterion(ranking_by_criterion(report), order["judge"], report.rubric, name)
st.subheader(say("Mean composite of each answering model"), anchor=False)
parts.composites(found, name)
if order is not None:
    chosen = weights.explored(report.rubric) or report.rubric.weights()
    corrected.section(store, report, chosen, order["judge"], name)
    calibration_map.section(store, report, order["judge"], name)
with st.expander(say("What is left out, and how this was made")):
    parts.left_out(found)
parts.explanations()
