"""Measures: what each gave on the sheet, which predicts people best, and what to do about it."""

import streamlit as st

from ui import composites, measures_people, measures_to_do
from ui import measures as parts
from ui.evidence_words import nothing
from ui.frame import enter
from ui.measured import readings
from ui.widgets import finding, no_sheet, pick_sheet, switch
from words.said import said

QUESTION = said("What do the measures say, and which of them predicts people best?")
VIEWS = {
    "all": said("All measures"),
    "one": said("One measure"),
    "people": said("Against people"),
    "composite": said("Composites"),
    "do": said("What to do"),
}

store = enter(__file__)
title = st.container()
sheet = pick_sheet(store)
found = readings(store, sheet) if sheet else None
if not found or not found.records:
    with title:
        finding(QUESTION)
    if sheet is None:
        no_sheet(said("then measures are found, and this screen says what they are worth."))
    else:
        nothing()
    st.stop()

with title:
    measures_people.headline(store, sheet, found)
view = switch(said("Show"), "view", VIEWS, label_visibility="collapsed")
name = f"{sheet.name}-measures"
if view == "all":
    parts.whole(found, name)
elif view == "one":
    parts.one(store, sheet, found, name)
elif view == "people":
    measures_people.people(store, sheet, found, name)
elif view == "composite":
    composites.section(store, sheet, found, name)
else:
    measures_to_do.to_do(store, sheet, found, name)
parts.closed(found)
