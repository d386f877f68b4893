"""Working through the list: what the causes say, the pane, and what to do about it."""

import streamlit as st

from concord.messages import counted, joined, said
from concord.reports.disagreements import disagreement, disagreements
from concord.reports.disagreements.findings import left_out, meaning, sentence
from concord.reports.panel.simulated import named
from concord.store import graders
from concord.store.database import Store
from concord.ui.actions import refusals
from concord.ui.cached_reports import Report
from concord.ui.components.disagreements_pane import Filtered, pane
from concord.ui.language import plain
from concord.ui.screens.annotate.regrade import left_behind
from concord.ui.screens.review.disagreements_next import next_steps
from concord.ui.sign_in import own_store
from concord.ui.widgets import empty, finding, terms

_ROOM = """<style>
[data-stale="true"] { opacity: 1 !important; }
:root { --worklist-height: max(31rem, calc(100dvh - 21rem)); }
[data-testid="stMainBlockContainer"] { padding: 1.6rem 1.5rem 2rem; max-width: 110rem; }
.st-key-filters > * { flex-basis: 7rem; }
@media (max-width: 640px) {
  :root { --worklist-height: max(38rem, calc(100dvh - 4.5rem)); }
  [data-testid="stMainBlockContainer"] { padding: 4.4rem .7rem 2rem; }
}
</style>"""


def headline(found: Report, listed: Filtered) -> None:
    """Show how many disagreements there are, with whom and on which criterion."""
    st.html(_ROOM)
    panel, wanted = listed.panel, listed.wanted
    who = said("the judges")
    if wanted.judge is not None:
        judge = panel.judges[wanted.judge]
        who = named(panel.labels[wanted.judge], judge.simulated)
    about = said("any criterion")
    if wanted.criterion is not None:
        about = found.rubric.criterion(wanted.criterion).heading().lower()
    total = counted(len(listed.rows), "disagreement")
    finding(said("{total} of {who} with annotators on {about}", total=total, who=who, about=about))


def worded_anew(store: Store, found: Report, listed: Filtered) -> None:
    """Show the regrades still due where a criterion was reworded."""
    wanted = listed.wanted.criterion
    left_behind(store, found.rubric, [wanted] if wanted else list(found.rubric.versions()))


@st.fragment
def work(found: Report, listed: Filtered, name: str | None) -> None:
    """The pane and everything that changes with it."""
    with refusals(), own_store() as store:
        _work(store, found, listed, name)


def _work(store: Store, found: Report, listed: Filtered, name: str | None) -> None:
    top = st.container()
    grader = graders.find(store, "person", name) if name else None
    tags = disagreement.tags_of(store, listed.panel)
    rows = disagreements.with_cause(
        listed.panel, listed.rows, tags, listed.wanted.cause, listed.until
    )
    here = None
    if len(rows):
        here = pane(store, listed, rows, tags, grader)
    else:
        _nothing(listed)
    counts = disagreements.counts(listed.panel, listed.rows, tags)
    with top:
        st.markdown(plain(joined(" ", [sentence(counts, len(listed.rows)), meaning(counts)])))
    next_steps(store, found, listed, here, tags)
    st.caption(plain(left_out(listed.panel, listed.wanted)))
    terms("cause", "blind", "failing")


def _nothing(listed: Filtered) -> None:
    """Show why the list is empty: nothing passes the filters, or nothing can be compared."""
    filters = said("Remove a filter above, or choose another judge.")
    if disagreements.compared(listed.panel, listed.wanted):
        empty(said("This list is empty"), filters)
        return
    why = said("No answer has both a judge's and an annotator's score.")
    empty(said("Nothing was compared"), joined(" ", [why, filters]))
