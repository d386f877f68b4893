"""What a new version of a criterion leaves to be graded again, with every grade to download."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from data import causes, rubric_versions, sheets
from data.causes import RUBRIC
from data.counted import counted
from data.guard import LEAD
from data.state import state
from data.store import Store
from problems import Problem
from reports import disagreements, regrade, regraded
from reports.simulated import named
from rubrics.model import Rubric
from ui.frame import recall
from ui.markdown import plain
from ui.sign_in import own_store
from ui.widgets import table

_NOTICE = "regrade.notice"


def after_change(store: Store, rubric: Rubric, criterion: str) -> None:
    """Which grades would have to be given again if the criterion were worded anew now."""
    found = _found(_state(store), rubric.body(), criterion, True, store, rubric)
    if len(found):
        with st.expander(f"A new version would leave {regrade.sentence(found)}"):
            _listed(found, f"{rubric.name}-{criterion}-after-a-change")


def left_behind(store: Store, rubric: Rubric, criteria: Sequence[str]) -> None:
    """Which grades of earlier versions are still to be given again, and what became of others."""
    for criterion in criteria:
        found = _found(_state(store), rubric.body(), criterion, False, store, rubric)
        if found.empty:
            continue
        heading = rubric.criterion(criterion).heading()
        st.warning(f"{plain(heading)} was worded anew: {plain(regrade.sentence(found))}")
        with st.expander("Which they are", key=f"regrade.{criterion}"):
            _listed(found, f"{rubric.name}-{criterion}-to-grade-again")
            _ask(store, rubric, criterion)
            with st.container(horizontal=True):
                st.page_link("pages/grading.py", label="People: their grading sets")
                st.page_link("pages/judges.py", label="Judges: run them again")
    for criterion in criteria:
        _side_by_side(store, rubric, criterion)


def _ask(store: Store, rubric: Rubric, criterion: str) -> None:
    """How many grades would go back to how many people, and the button that sends them."""
    notice = st.session_state.pop(_NOTICE, None)
    if notice:
        st.error(plain(notice), icon=":material/error:")
    asking = regrade.to_ask(store, rubric, criterion)
    if asking:
        st.write(
            f"Into the queues of those who gave them would go {plain(_and(asking))}, this "
            "criterion alone. The old grades stay, and are not shown there."
        )
        st.button(
            "Ask people for these again",
            type="primary",
            key=f"regrade.ask.{criterion}",
            icon=":material/replay:",
            disabled=store.who is not None and store.who.role != LEAD,
            on_click=_asked,
            args=(rubric, criterion),
        )


def _and(asking: list[regrade.Asking]) -> str:
    return "; ".join(one.sentence() for one in asking)


def _asked(rubric: Rubric, criterion: str) -> None:
    try:
        with own_store() as store:
            regrade.ask(store, rubric, criterion, store.by())
    except Problem as problem:
        st.session_state[_NOTICE] = str(problem)


def _side_by_side(store: Store, rubric: Rubric, criterion: str) -> None:
    """Old and new grades of everyone who was asked again."""
    found = regraded.rows(store, rubric, criterion)
    if not found:
        return
    heading = plain(rubric.criterion(criterion).heading())
    with st.expander(
        f"{heading} given again: {regraded.sentence(found)}", key=f"regrade.again.{criterion}"
    ):
        shown = pd.DataFrame(
            {
                "grader": [named(one["grader"], one["simulated"]) for one in found],
                "asked": [one["asked"] for one in found],
                "old and new": [one["n"] for one in found],
                "questions": [one["questions"] for one in found],
                "up": [one["up"] for one in found],
                "down": [one["down"] for one in found],
                "same": [one["same"] for one in found],
                "kept the score": [_limits(one["exact"], ".0%") for one in found],
                "mean change": [_limits(one["change"], "+.2f") for one in found],
                "left out": [_left_out(one["left_out"]) for one in found],
            }
        )
        table(shown, f"{rubric.name}-{criterion}-given-again")
        st.caption(
            "Everyone is held against themselves alone. A person moves without new words too: "
            "hidden repeats say by how much."
        )


def _limits(figure: dict, form: str) -> str:
    """A figure with its limits, or why there is none."""
    if figure["value"] is None:
        return figure["why_none"]
    value = format(figure["value"], form)
    if figure["low"] is None:
        return f"{value} ({figure['why_none']})"
    return f"{value} ({format(figure['low'], form)} to {format(figure['high'], form)})"


def _left_out(reasons: dict[str, int]) -> str:
    return ", ".join(f"{count} {reason}" for reason, count in reasons.items())


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
