"""Agreement: each judge against the annotators, the human ceiling and the majority class."""

import streamlit as st

from concord.messages import said
from concord.reports.agreement import document
from concord.reports.agreement.headline import finding
from concord.stats.statistics import shown
from concord.ui import render
from concord.ui.cached_reports import annotator_warnings
from concord.ui.charts import charts
from concord.ui.frame import enter
from concord.ui.language import say
from concord.ui.report_picker import pick_graded, uncounted, warned
from concord.ui.screens.agreement import cached_agreement
from concord.ui.screens.agreement.agreement_pick import pick, pick_figure
from concord.ui.screens.agreement.confusion_pick import cell_answers, confusion_pick
from concord.ui.screens.agreement.folds import more
from concord.ui.widgets import figure, terms

WORDS = (
    *(one.heading for one in shown("table")),
    *(said("failing"), said("ceiling"), said("majority-class baseline"), said("baseline")),
    *(said("each"), said("consensus"), said("left out")),
)
THEN = said("this screen says how far the judges may be trusted.")

store = enter(__file__)
report = pick_graded(store, THEN, units=True)
if report is None:
    st.stop()

choice = pick(report)
rows = cached_agreement.agreement_rows(report, choice.kind)
mine = [row for row in rows if row.criterion == choice.criterion]
chosen = next(row for row in mine if row.judge == choice.judge)  # a mean's row comes after
charted = [row for row in rows if not (row.continuous and row.continuous.mean)]
name = f"{report.sheet.name}-{report.rubric.name}"
render.head(finding(chosen))
uncounted(report.panel.uncounted)
warned(annotator_warnings(report, choice.criterion))

with st.container(horizontal=True):
    drawn = pick_figure()
    terms(*WORDS)
if charted:
    figure(
        charts.agreement(charted, drawn, charts.agreement_title(charted, choice.criterion, drawn)),
        f"{name}-{drawn}",
        charts.agreement_alt(charted, drawn),
    )
render.body(document.figures(mine, report.rubric), name)

left, right = st.columns(2, gap="large")
with left:
    heading = said(
        "Annotator's label against the judge's"
        if report.rubric.units
        else "Annotator's score against the judge's"
    )
    st.subheader(say(heading), anchor=False)
    cell = confusion_pick(report, choice.judge, choice.criterion, choice.kind)
with right:
    st.subheader(say("By answering model"), anchor=False)
    judge = report.judge_id(choice.judge)
    every = cached_agreement.by_answer_model(report, choice.kind, choice.criterion, judge)
    by_model = [row for row in every if not row.continuous]
    look = charts.looks(rows)[choice.judge]
    if by_model:
        figure(
            charts.by_answer_model(by_model, look, charts.by_answer_model_title(by_model)),
            f"{name}-{choice.judge}-by-model",
            charts.by_answer_model_alt(by_model),
        )
    elif every:
        render.body(document.figures(every, report.rubric), f"{name}-by-model")
    else:
        st.write(say("The sheet does not say which model wrote which answer."))
if cell:
    cell_answers(store, report, choice.judge, choice.criterion, choice.kind, cell)
more(report, choice, name)
