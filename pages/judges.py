"""Judges: who grades by machine, what exactly is asked, and running it over the sheet."""

import streamlit as st

from concord.messages import said
from concord.reports.workflow import judge_list
from concord.ui.actions import refusals
from concord.ui.frame import enter
from concord.ui.screens.judges.judge_card import argument, begin_card, pick_judge
from concord.ui.screens.judges.metric_card import metric_card
from concord.ui.screens.judges.own_judges import own_judge
from concord.ui.screens.judges.rubric_judge_card import rubric_card
from concord.ui.widgets import finding, no_sheet, pick_sheet

store = enter(__file__)
sheet = pick_sheet(store)
if sheet is None:
    finding(said("Which judges should grade?"))
    no_sheet(said("then a judge can grade them."))
    st.stop()

found = judge_list.entries(store, sheet)
finding(*judge_list.headline(sheet, found))
left, right = st.columns([2, 5], gap="large")
with left:
    entry = pick_judge(found)
shown = None
with right, refusals():
    judge = begin_card(store, sheet, entry)
    if judge is not None:
        card = metric_card if judge.kind == "metric" else rubric_card
        shown = card(store, sheet.name, judge, argument(entry))
own_judge(store, sheet.name, shown)
