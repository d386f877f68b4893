"""Criteria that annotators called unclear, and in which words."""

import streamlit as st

from concord.grading import disagreement_causes
from concord.grading.adjudications import RUBRIC
from concord.messages import counted, said
from concord.reports.disagreements import disagreements
from concord.rubrics.model import Rubric
from concord.store import sheets
from concord.store.database import Store
from concord.store.rubrics import rubric_versions
from concord.ui.frame import recall
from concord.ui.language import plain


def unclear_notes(store: Store, rubric: Rubric, criterion: str) -> None:
    """Return the notes of annotators who called a criterion unclear on the sheet the URL names."""
    sheet = sheets.find(store, recall("sheet") or "")
    if sheet is None:
        return
    versions = rubric_versions.criteria(store, rubric)
    tags = disagreements.held(disagreement_causes.of_sheet(store, sheet.id, versions))
    noted = disagreements.noted(tags, criterion, RUBRIC)
    if not noted:
        return
    notes = "\n".join(f"- {plain(one.note)} ({plain(one.who)})" for one in noted if one.note)
    unclear = said(
        "{criterion} was marked unclear in {n} on {sheet}. Regrade after rewording it; do not "
        "carry the grades over.",
        criterion=rubric.criterion(criterion).heading(),
        n=counted(len(noted), "disagreement"),
        sheet=sheet.name,
    )
    st.info(f"{plain(unclear)}\n\n{notes}")
