"""Agreement by any column of the sheet, of the chosen judge and criterion."""

import streamlit as st

from concord.messages import Problem, capital, said
from concord.reports.segments import agreement_by_segment_document as document
from concord.reports.segments import segment_column
from concord.reports.segments.agreement_by_segment import STATISTICS, AgreementBySegment, report
from concord.stats.statistics import BY_KEY
from concord.ui import render
from concord.ui.cached_reports import Report
from concord.ui.caching import kept
from concord.ui.language import plain
from concord.ui.screens.agreement.agreement_pick import AgreementChoice
from concord.ui.screens.agreement.details import detail
from concord.ui.widgets import select, terms

_TERMS = (said("by segment"), *(BY_KEY[key].heading for key in STATISTICS))


@kept()
def _columns(report: Report) -> list[str]:
    """The columns by which the sheet may be segmented."""
    return segment_column.columns(report.store, report.sheet)


@kept(said("Comparing segments…"))
def _by_column(found: Report, column: str, kind: str, criterion: str, judge: int):
    """The agreement by a column of one judge on one criterion."""
    segments = segment_column.compared(found.store, found.sheet, column)
    return report(found.on(criterion), segments, kind, [criterion], [judge])


@detail("columns", 15, said("By column: agreement in each segment of the sheet"), key="by")
def by_column(report: Report, choice: AgreementChoice, name: str) -> None:
    """Agreement by any column of the sheet, of the chosen judge and criterion."""
    columns = {one: segment_column.FIELDS.get(one, one) for one in _columns(report)}
    figures = {key: capital(BY_KEY[key].head) for key in STATISTICS}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        column = select(said("Column"), "by", columns, next(iter(columns)))
        key = select(said("Statistic"), "by_figure", figures, STATISTICS[0], STATISTICS[0])
        terms(*_TERMS)
    try:
        judge = report.judge_id(choice.judge)
        found: AgreementBySegment = _by_column(report, column, choice.kind, choice.criterion, judge)
    except Problem as problem:
        st.warning(plain(str(problem)))
        return
    part = document.document(found, report.rubric, [key])
    render.show(part, f"{name}-{choice.judge}", folded=True, in_full=True)
