"""The agreement of the chosen judge on each answering model's answers alone."""

import streamlit as st

from concord.messages import said
from concord.reports.agreement import document
from concord.reports.agreement.charts import looks
from concord.ui import render
from concord.ui.cached_reports import Report
from concord.ui.chart import show_charts
from concord.ui.language import say
from concord.ui.screens.agreement import cached_agreement
from concord.ui.screens.agreement.agreement_pick import AgreementChoice
from concord.ui.screens.agreement.details import detail


@detail("models", 10, said("By answering model"))
def by_answer_model(report: Report, choice: AgreementChoice, name: str) -> None:
    """Exact agreement as a chart, and every figure as a table."""
    judge = report.judge_id(choice.judge)
    every = cached_agreement.by_answer_model(report, choice.kind, choice.criterion, judge)
    if not every:
        st.write(say("The sheet does not say which model wrote which answer."))
        return
    found = document.figures(every, report.rubric, of=looks(report.people))
    show_charts(found, f"{name}-{choice.judge}")
    render.body(found, f"{name}-by-model", in_full=True)
