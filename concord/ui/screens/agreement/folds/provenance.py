"""Provenance of each row of the report, in one line."""

import streamlit as st

from concord.messages import Said, said
from concord.ui.cached_reports import Report
from concord.ui.screens.agreement.agreement_pick import Choice
from concord.ui.screens.agreement.cached_agreement import agreement_rows
from concord.ui.screens.agreement.folds import Fold


def _title(report: Report) -> Said:
    return said("How these figures were computed")


def _show(report: Report, choice: Choice, name: str) -> None:
    for row in agreement_rows(report, choice.kind):
        st.code(row.signature, language=None, wrap_lines=True)


FOLD = Fold(90, _title, _show)
