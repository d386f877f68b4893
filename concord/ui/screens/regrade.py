"""Regrades after a new version of a criterion, with every affected grade to download."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from concord.grading import disagreement_causes
from concord.messages import counted, said
from concord.model import Sheet
from concord.reports.workflow import regrade
from concord.rubrics.model import Rubric
from concord.store import sheets
from concord.store.database import Store
from concord.ui import render
from concord.ui.actions import refusals
from concord.ui.caching import kept
from concord.ui.language import plain, say
from concord.ui.looker import leads
from concord.ui.widgets import action_button


def left_behind(store: Store, rubric: Rubric, criteria: Sequence[str]) -> None:
    """Show which grades of earlier versions need a regrade, and what became of the others."""
    for criterion in criteria:
        found = _outstanding(store, *_everything(store), rubric, criterion)
        if found.empty:
            continue
        heading = plain(rubric.criterion(criterion).heading())
        st.warning(f"{heading} was reworded: {len(found):,} grades to regrade.")
        with st.expander(say("Outdated grades"), key=f"regrade.{criterion}"):
            _listed(found, f"{rubric.name}-{criterion}-to-grade-again")
            _ask(store, rubric, criterion, found)
            with st.container(horizontal=True):
                st.page_link("pages/annotate.py", label=say("Annotators: their grading sets"))
                st.page_link("pages/judges.py", label=say("Judges: run them again"))
    for criterion in criteria:
        _side_by_side(store, rubric, criterion)


def _ask(store: Store, rubric: Rubric, criterion: str, found: pd.DataFrame) -> None:
    """Show how many grades would return to how many annotators, with the button to send them."""
    asking = regrade.to_ask(store, rubric, criterion)
    waiting = int(((found["kind"] == "person") & ~found["simulated"].astype(bool)).sum())
    waiting -= sum(counts["grades"] for _, counts in asking)
    if waiting:
        grades = counted(waiting, "grade")
        st.write(f"In queues already, in closed sets or outside of sets: {grades}.")
    if asking:
        st.write(
            say(
                "Annotators regrade only this criterion. Their earlier grades are kept and not "
                "shown to them."
            )
        )
        render.show_table(
            regrade.counts_table("requests", [counts for _, counts in asking], "To ask again"),
            f"{rubric.name}-{criterion}",
        )
        if action_button(
            say("Ask annotators to regrade these"),
            None if leads(store) else say("Only a lead can ask for a regrade."),
            type="primary",
            key=f"regrade.ask.{criterion}",
            icon=":material/replay:",
        ):
            with refusals():
                regrade.ask(store, rubric, criterion, store.by())
                st.rerun()


def _side_by_side(store: Store, rubric: Rubric, criterion: str) -> None:
    """Old and new grades of everyone who was asked again."""
    found = regrade.rows(store, rubric, criterion)
    if not found:
        return
    title = said(
        "{criterion} regraded: {grades}",
        criterion=rubric.criterion(criterion).heading(),
        grades=regrade.regraded_sentence(found),
    )
    with st.expander(plain(title), key=f"regrade.again.{criterion}"):
        render.show_table(regrade.table(found), f"{rubric.name}-{criterion}")
        st.caption(
            say(
                "Each annotator is compared with their own earlier grades only. Grades also change "
                "without rewording: hidden repeats show by how much."
            )
        )


def _everything(store: Store) -> tuple[tuple[Sheet, ...], int]:
    """Every sheet and the newest tag: a grade or a tag on whatever sheet changes what is found."""
    return tuple(sheets.all_sheets(store)), disagreement_causes.newest(store)


def _listed(found: pd.DataFrame, name: str) -> None:
    """Show how many grades by whom, and all of them as CSV."""
    rows = render.rows_of(regrade.counts_table("graders", regrade.by_grader(found)))
    render.table_of(rows, name, found)


@kept("Looking for outdated grades…", 12, shared=True)
def _outstanding(
    store: Store, every: tuple[Sheet, ...], newest_tag: int, rubric: Rubric, criterion: str
) -> pd.DataFrame:
    return regrade.outstanding(store, rubric, criterion)
