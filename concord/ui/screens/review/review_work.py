"""Working through the list: the pane, and what changes with the entry."""

from collections.abc import Sequence

import streamlit as st

from concord.store import graders
from concord.ui.actions import refusals
from concord.ui.components.review_list import ReviewList
from concord.ui.components.review_pane import pane
from concord.ui.screens.review.kinds import Kind
from concord.ui.sign_in import own_store

_ROOM = """<style>
[data-stale="true"] { opacity: 1 !important; }
:root { --worklist-height: max(31rem, calc(100dvh - 20rem)); }
[data-testid="stMainBlockContainer"] { padding: .4rem 2rem 2rem; max-width: 110rem; }
@media (max-width: 640px) {
  :root { --worklist-height: max(38rem, calc(100dvh - 4.5rem)); }
  [data-testid="stMainBlockContainer"] { padding: 4.4rem .7rem 2rem; }
}
</style>"""


@st.fragment
def work(kinds: Sequence[Kind], name: str | None) -> None:
    """The pane and everything that changes with it; each of the kinds is read as it is now."""
    st.html(_ROOM)
    with refusals(), own_store() as store:
        listed = ReviewList([kind.source(store) for kind in kinds])
        grader = graders.find(store, "person", name) if name else None
        key = pane(store, listed, grader) if len(listed) else listed.nothing()
        listed.after(store, key, grader)
