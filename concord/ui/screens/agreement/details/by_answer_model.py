"""The agreement of the chosen judge on each answering model's answers alone."""

import streamlit as st

from concord.messages import said
from concord.reports.agreement import document
from concord.ui import render
from concord.ui.cached_reports import Report
from concord.ui.charts import charts
from concord.ui.language import say
from concord.ui.screens.agreement import cached_agreement
from concord.ui.screens.agreement.agreement_pick import Choice
from concord.ui.screens.agreement.details import detail
from concord.ui.widgets import figure


@detail("models", 10, said("By answering model"))
def by_answer_model(report: Report, choice: Choice, name: str) -> None:
    """Exact agreement as a chart, and every figure as a table."""
    judge = report.judge_id(choice.judge)
    every = cached_agreement.by_answer_model(report, choice.kind, choice.criterion, judge)
    if not every:
        st.write(say("The sheet does not say which model wrote which answer."))
        return
    charted = [row for row in every if not row.continuous]
    if charted:
        look = charts.looks(cached_agreement.agreement_rows(report, choice.kind))[choice.judge]
        figure(
            charts.by_answer_model(charted, look, charts.by_answer_model_title(charted)),
            f"{name}-{choice.judge}-by-model",
            charts.by_answer_model_alt(charted),
        )
    render.body(document.figures(every, report.rubric), f"{name}-by-model")
