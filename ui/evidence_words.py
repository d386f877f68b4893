"""What the evidence screen says at its top, and where there is nothing to show."""

import streamlit as st

from data.counted import counted
from data.sheets import Sheet
from ui.evidence_pick import Picked
from ui.widgets import empty, finding

_ROOM = """<style>
.st-key-evidence-filters > * { flex-basis: 9rem; }
.st-key-evidence-filters > :is([class*="st-key-pick-units"], [class*="st-key-pick-sorted"]) {
  flex: 2 1 16rem;
}
.st-key-evidence-filters > :has([data-testid="stCaptionContainer"]) { order: 1; flex-basis: 100%; }
[data-testid="stMainBlockContainer"] { padding: 3.2rem 1.5rem 2rem; max-width: 110rem; }
@media (max-width: 640px) {
  [data-testid="stMainBlockContainer"] { padding: 4.4rem .7rem 2rem; }
}
</style>"""


def headline(sheet: Sheet, picked: Picked) -> None:
    """On how many answers graders differ, and what was left out."""
    st.html(_ROOM)
    rows, rubric = picked.listed.rows, picked.rubric
    answers = counted(len(rows), "answer")
    if rubric is None:
        finding(f"Numbers of {answers} of {sheet.name}, and no part of it was judged")
    elif int(rows["graders"].max() or 0) < 2:
        finding(
            f"One grader has judged the {rubric.plural} of {answers}",
            "Label them yourself, or run a second judge, to see where graders differ.",
        )
    else:
        differ = int((rows["differ"] > 0).sum())
        on = f"{rubric.plural} of {differ:,} of {answers}"
        finding(
            f"Graders differ on {on}; these stand first"
            if differ
            else f"Graders agree on all {rubric.plural} of {answers}"
        )
    closed = picked.listed.closed
    if closed:
        is_not = "is not shown: its question is" if closed == 1 else "are not shown: they are of"
        one = "sealed or an example" if closed == 1 else "questions that are sealed or examples"
        st.caption(f"{counted(closed, 'answer')} {is_not} {one}.")


def nothing() -> None:
    """What to do where no measure was found yet."""
    empty(
        "No measure has been found on this sheet yet",
        "Run a judge for measures: “computed” costs nothing, “rag-measures” asks a model and keeps "
        "a verdict with its reason for every claim and context.",
        "pages/judges.py",
        "To the judges",
    )
