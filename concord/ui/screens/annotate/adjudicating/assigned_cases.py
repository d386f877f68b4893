"""What an annotator adjudicates because a lead assigned it, and the way there and back."""

import streamlit as st

from concord.grading import adjudications, annotators
from concord.grading.adjudications import ANNOTATORS
from concord.messages import counted, said
from concord.reports.disagreements import adjudicate
from concord.reports.disagreements.adjudication_keys import AdjudicationPick
from concord.reports.panel.panel_reading import read
from concord.store import graders
from concord.store.database import Store
from concord.store.permissions import ADJUDICATOR
from concord.store.rubrics import rubric_versions
from concord.ui.frame import ADJUDICATE, GRADE, link_of, recall
from concord.ui.language import say
from concord.ui.sign_in import adjudicating_store
from concord.ui.widgets import empty, finding, pick_rubric, pick_sheet

# The pane of a grader takes the whole page but this line.
_LINE = "<style>html:root { --grading-height: calc(100dvh - 4rem); }</style>"


def is_assigned(store: Store) -> bool:
    """True for an annotator, whose store reaches only what a lead assigned to adjudicate."""
    return bool(store.who and store.who.role == ADJUDICATOR)


def to_adjudication(store: Store, grader_id: int | None) -> int:
    """Lead an annotator to the answers assigned to adjudicate; return how many are left.

    Nothing where none is assigned, or the annotator is paused.
    """
    if not grader_id or annotators.pause_of(store, grader_id):
        return 0
    if not adjudications.of_annotator(store, grader_id):
        return 0
    with adjudicating_store(link_of()) as own:
        left = adjudications.left_of(own, grader_id)
    st.html(_LINE)
    label = say("Your adjudicated answers")
    if left:
        label = say("Adjudicate {answers}", answers=counted(left, "answer"))
    icon = ":material/how_to_reg:"
    st.page_link(ADJUDICATE, label=label, icon=icon, query_params=_own_link())
    return left


def pick(store: Store) -> AdjudicationPick | None:
    """Return the assigned cases of a sheet under their headline; None without any."""
    label = say("Your grading sets")
    st.page_link(GRADE, label=label, icon=":material/arrow_back:", query_params=_own_link())
    sheet = pick_sheet(store)
    graded = rubric_versions.graded(store, sheet.id) if sheet else []
    found = _found(store, sheet, graded) if graded else None
    if found and found.cases:
        answers = counted(len(found.cases), "answer")
        finding(said("{answers} assigned to you to adjudicate", answers=answers))
        return found
    empty(said("Nothing to adjudicate"), _why_not(store))
    return None


def _found(store: Store, sheet, graded: list[str]) -> AdjudicationPick:
    _, rubric = pick_rubric(store, graded)
    panel, own = read(store, sheet, rubric), graders.get(store, store.who.grader_id)
    return AdjudicationPick(panel, ANNOTATORS, adjudicate.differing(panel), own, sheet.seed())


def _why_not(store: Store) -> str:
    if annotators.pause_of(store, store.who.grader_id):
        return annotators.PAUSED
    return said("No answer is assigned to you to adjudicate.")


def _own_link() -> dict[str, str]:
    """What keeps a page that of an annotator without sign-in: the query of the link that came."""
    query = dict(st.session_state.get("grading_only", {}))
    return query | {"grader": recall("grader") or ""} if query else {}
