"""Judges: who grades by machine, what exactly is asked, and running it over the sheet."""

import streamlit as st

from reports import judging
from ui.frame import enter
from ui.judge_card import card
from ui.judge_own import own_judge
from ui.judge_pick import pick_judge
from ui.widgets import finding, no_sheet, pick_sheet
from words.said import said

store = enter(__file__)
sheet = pick_sheet(store)
if sheet is None:
    finding(said("Which judges shall grade?"))
    no_sheet(said("then a judge can grade them."))
    st.stop()

found = judging.entries(store, sheet)
finding(*judging.headline(sheet, found))
left, right = st.columns([2, 5], gap="large")
with left:
    entry = pick_judge(found)
with right:
    shown = card(store, sheet, entry)
own_judge(store, sheet.name, shown)
