"""Ranking: in which order people and a judge put the answering models, and how sure that is."""

import streamlit as st

from data import rubric_versions
from reports import order as words
from ui import ranking as parts
from ui import weights
from ui.frame import enter
from ui.widgets import empty, finding, pick_rubric, pick_sheet

QUESTION = "Do people and judges put the answering models in the same order?"


def nothing(title: str, what_to_do: str, page: str, label: str) -> None:
    """Say what is missing and where to get it, instead of a ranking."""
    finding(QUESTION)
    empty(title, what_to_do, page, label)
    st.stop()


store = enter(__file__)
pickers = st.container(horizontal=True)
with pickers:
    sheet = pick_sheet(store)
if sheet is None:
    why = "Import a sheet that names the model behind each answer, or load the sample."
    nothing("There is nothing to rank yet", why, "pages/sheets.py", "To the sheets")
if len(list(filter(None, sheet.answer_models))) < 2:
    why = "A ranking takes answers of two answering models or more: import those of another one, "
    why += "or map the column that names the model."
    nothing("There are no two answering models", why, "pages/sheets.py", "Import more answers")
graded = rubric_versions.graded(store, sheet.id)
if not graded:
    why = "People have to grade some answers of each model; then judges can be compared with them."
    nothing("Nothing is graded yet", why, "pages/grading.py", "Draw a grading set and grade")

with pickers:
    _, rubric = pick_rubric(store, graded)
found = parts.ranking(store, sheet, rubric)
with pickers:
    order = parts.pick_judge(found["orders"])

by_people = words.by_people(found)
comparable = bool(order and words.comparable(order))
if comparable:
    parts.headline(found, order)
else:
    finding(by_people or QUESTION, words.simulated_people(found))
parts.exploration(rubric)
if not by_people:
    empty(
        "People have not graded two answering models yet",
        "It takes every criterion of some answers of each model.",
        "pages/grading.py",
        "Draw a grading set and grade",
    )
elif order is None:
    empty(
        "No judge has graded yet",
        "Run a judge, or the baseline, to see whether it puts the models in the same order.",
        "pages/judges.py",
        "Run a judge",
    )
elif not comparable:
    empty(
        f"{words.title(order)}.",
        "Let the judge grade the answers that people have graded.",
        "pages/judges.py",
        "Run a judge",
    )
if comparable:
    left, right = st.columns([3, 2], gap="large")
    with left:
        parts.chart(found, order)
    with right:
        st.subheader("How sure is the order?", anchor=False)
        parts.certainty(order)
    if len(found["orders"]) > 1:
        st.subheader("Every judge beside people", anchor=False)
        parts.every_judge(found)
st.subheader("Mean composite", anchor=False)
parts.composites(found)

if len(rubric.criteria) > 1:
    with st.expander("Explore other weights", icon=":material/tune:"):
        st.caption("Only this screen, and the link to it, takes these weights.")
        weights.sliders(rubric)
with st.expander("Who counts, and what is left out"):
    parts.pick_people(store, sheet, rubric)
    parts.left_out(found)
parts.explanations()
