"""Unit agreement: failing verdicts, metrics per answer, and the errors of the lists."""

import streamlit as st

from concord.messages import Said, said
from concord.reports.agreement import unit_agreement, unit_document
from concord.reports.agreement.unit_agreement import UnitAgreement
from concord.reports.panel.unit_words import singular
from concord.ui.cached_reports import BY_KEY, Report
from concord.ui.caching import spinning
from concord.ui.screens.agreement.agreement_pick import Choice
from concord.ui.screens.agreement.folds import Fold, shown

_TERMS = (said("by annotators"), said("list errors"), said("extraction"))


@spinning(said("Computing metrics from annotators' labels…"))
@st.cache_data(max_entries=24, show_spinner=False, hash_funcs=BY_KEY)
def units(report: Report, kind: str) -> UnitAgreement:
    """Unit agreement beyond the rows; only of a rubric of units."""
    return unit_agreement.report(report.store, report.panel, kind)


def _title(report: Report) -> Said:
    unit = singular(report.rubric.plural)
    return said("By answer, and errors of the {unit} lists", unit=unit)


def _show(report: Report, choice: Choice, name: str) -> None:
    shown(unit_document.units(units(report, choice.kind), report.rubric), name, _TERMS)


FOLD = Fold(20, _title, _show, lambda report, _: bool(report.rubric.units))
