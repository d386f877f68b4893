"""What a new version of a criterion leaves to be graded again, with every grade to download."""

from collections.abc import Iterable

import pandas as pd
import streamlit as st

from data import causes, rubric_versions, sheets
from data.causes import RUBRIC
from data.counted import counted
from data.state import state
from data.store import Store
from reports import disagreements, regrade
from reports.simulated import named
from rubrics.model import Rubric
from ui.frame import recall
from ui.markdown import plain
from ui.widgets import table


def after_change(store: Store, rubric: Rubric, criterion: str) -> None:
    """Which grades would have to be given again if the criterion were worded anew now."""
    found = _found(_state(store), rubric.body(), criterion, True, store, rubric)
    if len(found):
        with st.expander(f"A new version would leave {regrade.sentence(found)}"):
            _listed(found, f"{rubric.name}-{criterion}-after-a-change")


def left_behind(store: Store, rubric: Rubric, criteria: Iterable[str]) -> None:
    """Which grades of earlier versions are still to be given again under the newest."""
    for criterion in criteria:
        found = _found(_state(store), rubric.body(), criterion, False, store, rubric)
        if found.empty:
            continue
        heading = rubric.criterion(criterion).heading()
        st.warning(f"{plain(heading)} was worded anew: {plain(regrade.sentence(found))}")
        with st.expander("Which they are", key=f"regrade.{criterion}"):
            _listed(found, f"{rubric.name}-{criterion}-to-grade-again")
            with st.container(horizontal=True):
                st.page_link("pages/grading.py", label="People: draw a grading set")
                st.page_link("pages/judges.py", label="Judges: run them again")


def unclear_notes(store: Store, rubric: Rubric, criterion: str) -> None:
    """That people called a criterion unclear on the sheet the URL names, and in which words."""
    sheet = sheets.find(store, recall("sheet") or "")
    if sheet is None:
        return
    versions = rubric_versions.criteria(store, rubric)
    tags = disagreements.held(causes.of_sheet(store, sheet.id, versions))
    said = disagreements.noted(tags, criterion, RUBRIC)
    if not said:
        return
    notes = "\n".join(f"- {plain(one.note)} ({plain(one.who)})" for one in said if one.note)
    heading = plain(rubric.criterion(criterion).heading())
    st.info(
        f"{heading} was called unclear in {counted(len(said), 'disagreement')} on "
        f"{plain(sheet.name)}. What is then reworded should be graded again, not carried over."
        f"\n\n{notes}"
    )


def _state(store: Store) -> tuple[str, ...]:
    """Changes whenever a grade or a tag is given, on whatever sheet."""
    every = [state(store, sheet) for sheet in sheets.all_sheets(store)]
    return (*every, str(causes.newest(store)))


def _listed(found: pd.DataFrame, name: str) -> None:
    """How many grades by whom, and all of them as CSV."""
    counts = regrade.by_grader(found)
    shown = pd.DataFrame(
        {
            "grader": [named(r.grader, r.simulated) for r in counts.itertuples(index=False)],
            "kind": counts["kind"],
            "grades": counts["grades"],
            "answers": counts["answers"],
        }
    )
    table(shown, name, whole=found)


@st.cache_resource(max_entries=12, show_spinner="Looking for grades to be given again…")
def _found(
    key: tuple[str, ...], body: str, criterion: str, after: bool, _store: Store, _rubric: Rubric
) -> pd.DataFrame:
    find = regrade.after_change if after else regrade.outstanding
    return find(_store, _rubric, criterion)
