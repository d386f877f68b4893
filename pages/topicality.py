"""Topicality: whether questions about a topic fare better than questions that are not."""

import streamlit as st

from reports import topicality_words as words
from ui import topicality as parts
from ui.frame import enter
from ui.widgets import empty, finding, no_sheet, pick_sheet
from words.said import said

store = enter(__file__)
sheet = pick_sheet(store)
if sheet is None:
    finding(words.QUESTION)
    no_sheet(said("then this screen holds the questions about a topic against others."))
    st.stop()

headline = st.container()
sets = parts.choose(store, sheet)
if sets is None:
    st.stop()
found = parts.report(store, sheet, sets)
if not found["measures"]:
    with headline:
        finding(words.QUESTION)
    empty(
        said("No measure has been found on these answers yet"),
        said("Run the computed measures, which are free, or a judge for measures."),
        "pages/judges.py",
        said("To the judges"),
    )
    st.stop()

with headline:
    finding(words.title(found), words.detail(found))
name = f"{sheet.name}-topicality"
parts.pictures(found, name)
parts.tables(found, name)
parts.explanations()
