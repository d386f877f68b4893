"""Confidence: how good the probabilities of the judges are on the chosen criterion."""

import streamlit as st

from concord.messages import said
from concord.model import BASELINE
from concord.reports.charts import graders
from concord.reports.probabilities import judge_probabilities as probabilities
from concord.reports.probabilities.document import TERMS, document
from concord.reports.probabilities.judge_probabilities import Confidence, read
from concord.ui import render
from concord.ui.cached_reports import Report
from concord.ui.caching import kept
from concord.ui.chart import show_charts
from concord.ui.language import plain
from concord.ui.screens.agreement.agreement_pick import AgreementChoice
from concord.ui.screens.agreement.details import detail
from concord.ui.widgets import TO_JUDGES, empty, terms

_NONE = said("No judge gave probabilities for {criterion}")
_PURPOSE = said(
    "Here you see whether a judge that says 90% is right nine times in ten. Add a decision model, "
    'set logprobs = true or confidence = "stated" in the file of a chat judge, or repeat a judge.'
)


@kept(said("Comparing confidence with agreement…"))
def _rows(report: Report, criterion: str, kind: str) -> tuple[Confidence, ...]:
    """The confidence of every judge with probabilities on a criterion."""
    given = read(report.store, report.panel, criterion)
    return probabilities.report(report.panel, given, criterion, kind)


@detail(
    "confidence",
    10,
    said("Quality of the probabilities"),
    applies=lambda report, choice: not report.rubric.units,
)
def confidence(report: Report, choice: AgreementChoice, name: str) -> None:
    """The chosen judge's confidence against agreement, and the figures of all judges."""
    rows = _rows(report, choice.criterion, choice.kind)
    if not rows:
        criterion = report.rubric.headings()[choice.criterion]
        empty(said(_NONE.template, criterion=criterion), _PURPOSE, *TO_JUDGES)
        return
    judges = [row.judge for row in rows]
    judge = choice.judge if choice.judge in judges else judges[0]
    if judge != choice.judge:
        st.markdown(
            plain(
                said(
                    "{judge} gave no probabilities, so {shown} is shown.",
                    judge=choice.judge,
                    shown=judge,
                )
            )
        )
    panel = report.panel
    look = graders((panel.labels[i], one.name == BASELINE) for i, one in panel.judges.items())
    found = document(rows, judge, report.rubric, look)
    name = f"{name}-{choice.criterion}-{judge}"
    render.head(found, folded=True)
    terms(*TERMS)
    show_charts(found, name)
    render.body(found, name, in_full=True)
