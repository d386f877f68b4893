"""Start: state of the calibration, and the next step."""

import streamlit as st

from concord.reports.workflow.workflow import loop
from concord.ui.frame import enter, may_act, remember
from concord.ui.language import say
from concord.ui.looker import leads
from concord.ui.screens.overview import (
    asked,
    loop_cards,
    news,
    next_thing,
    of_grades,
    sample_button,
    sample_said,
)
from concord.ui.widgets import finding, pick_sheet

store = enter(__file__)
sample_said()
sheet = pick_sheet(store)

if sheet is None:
    finding(say("Measure how far you can trust a judge"))
    st.markdown(
        say(
            "Concord calibrates LLM judges against annotators: annotators grade a sheet of "
            "answers, judges grade the same sheet, and you read how often they agree, with 95% "
            "confidence intervals. This shows how good a judge is, and which cheaper one is good "
            "enough."
        )
    )
    if not (may_act(store) and leads(store)):
        st.stop()
    with st.container(horizontal=True):
        sample_button(store, primary=True)
        if st.button(say("Import a sheet"), icon=":material/upload:", key="start.import"):
            remember(do="import")
            st.switch_page("pages/data.py", query_params={"do": "import"})
        if st.button(say("Build a sheet"), icon=":material/construction:", key="start.build"):
            st.switch_page("pages/build.py", query_params={"start": "new"})
    st.caption(
        say(
            "Without answers, build a sheet from documents or questions: a model drafts questions, "
            "you accept or reject each, and any models answer them. The sample is invented, needs "
            "no key and no network, and can be deleted. Nothing leaves this machine but calls to "
            "an endpoint that you configure."
        )
    )
    st.stop()

best, alerts = of_grades(store, sheet)
state = loop(store, sheet, best, alerts)
finding(state.headline, say("The sheet {name}, step by step.", name=sheet.name))
if may_act(store) and (leads(store) or not alerts):
    next_thing(state)
asked(store, sheet)
loop_cards(state)
news(state)
