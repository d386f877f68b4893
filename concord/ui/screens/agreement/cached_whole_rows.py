"""The rows of the agreement report with every statistic, computed once for a state of the store."""

import streamlit as st

from concord.messages import said
from concord.reports.agreement import more_statistics
from concord.reports.agreement.results import AgreementRow
from concord.ui.cached_reports import BY_KEY, Report
from concord.ui.caching import spinning
from concord.ui.screens.agreement.cached_agreement import agreement_rows


@spinning(said("Computing every statistic…"))
@st.cache_data(max_entries=24, show_spinner=False, hash_funcs=BY_KEY)
def whole_rows(report: Report, kind: str) -> list[AgreementRow]:
    """The rows of the agreement report with every further figure."""
    short = agreement_rows(report, kind)
    return more_statistics.whole_rows(report.panel, kind, short=short)
