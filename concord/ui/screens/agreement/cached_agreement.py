"""The agreement reports on screen, each computed once for a state of the store."""

from dataclasses import replace
from functools import partial

import streamlit as st

from concord.messages import said
from concord.reports.agreement import (
    agreement,
    bias_tests,
    confusion,
    rows,
    skipped_analyses,
    unit_agreement,
)
from concord.reports.agreement.results import (
    AgreementReport,
    AgreementRow,
    BiasTest,
    SkippedAnalysis,
    UnitAgreement,
)
from concord.reports.panel.panel_reading import lengths
from concord.reports.reliability import panel_reliability
from concord.ui.cached_reports import BY_KEY, Report
from concord.ui.spinner import spinning


@spinning(said("Comparing judges with annotators…"))
@st.cache_data(max_entries=24, show_spinner=False, hash_funcs=BY_KEY)
def agreement_report(report: Report, kind: str) -> AgreementReport:
    """The agreement report under a kind of reference."""
    return agreement.report(report.panel, kind)


@spinning(said("Computing every statistic…"))
@st.cache_data(max_entries=24, show_spinner=False, hash_funcs=BY_KEY)
def whole_rows(report: Report, kind: str) -> list[AgreementRow]:
    """The rows of the agreement report with every further figure."""
    return rows.whole_rows(report.panel, kind, short=agreement_report(report, kind).rows)


@spinning(said("Comparing annotators…"))
@st.cache_data(max_entries=24, show_spinner=False, hash_funcs=BY_KEY)
def among_annotators(report: Report) -> list[panel_reliability.PanelReliability]:
    """The inter-rater reliability of all annotators, one row per criterion."""
    return panel_reliability.rows(report.panel)


@spinning(said("Probing the judges…"))
@st.cache_data(max_entries=24, show_spinner=False, hash_funcs=BY_KEY)
def bias_rows(report: Report) -> list[BiasTest]:
    """Every bias test of every judge."""
    return bias_tests.probes(report.panel, lengths(report.store, report.panel))


@spinning(said("Finding the numbers by annotators' labels…"))
@st.cache_data(max_entries=24, show_spinner=False, hash_funcs=BY_KEY)
def units(report: Report, kind: str) -> UnitAgreement:
    """Unit agreement beyond the rows; only of a rubric of units."""
    return unit_agreement.report(report.store, report.panel, kind)


def not_run(report: Report, kind: str) -> list[SkippedAnalysis]:
    """Every skipped analysis, and what would enable it."""
    found = replace(agreement_report(report, kind), rows=tuple(whole_rows(report, kind)))
    return skipped_analyses.not_run(report.panel, found, bias_rows(report))


@spinning(said("Comparing by answering model…"))
@st.cache_data(max_entries=24, show_spinner=False, hash_funcs=BY_KEY)
def by_answer_model(report: Report, kind: str, criterion: str, judge: int) -> list[AgreementRow]:
    """The rows of one judge and criterion for each answering model's answers alone."""
    every = partial(rows.rows, judges=[judge])
    return rows.rows_by_answer_model(report.panel, kind, [criterion], every)


@st.cache_data(max_entries=48, show_spinner=False, hash_funcs=BY_KEY)
def confusion_table(report: Report, judge: int, criterion: str, kind: str) -> confusion.Confusion:
    """The confusion table of one judge."""
    return confusion.confusion(report.panel, judge, criterion, kind)
