"""Working through a list: what it says so far, the pane, and what changes with the entry."""

from collections.abc import Callable

import streamlit as st

from concord.store import graders
from concord.store.database import Store
from concord.ui.actions import refusals
from concord.ui.components.review_pane import Source, pane
from concord.ui.sign_in import own_store

_ROOM = """<style>
[data-stale="true"] { opacity: 1 !important; }
:root { --worklist-height: max(31rem, calc(100dvh - 21rem)); }
[data-testid="stMainBlockContainer"] { padding: 1.6rem 1.5rem 2rem; max-width: 110rem; }
.st-key-filters > * { flex-basis: 8.5rem; }
.st-key-filters > [class*="st-key-pick-list"] { flex-basis: 11rem; }
.st-key-filters > [class*="st-key-pick-units"],
.st-key-filters > [class*="st-key-pick-sorted"] { flex-basis: 17rem; }
@media (max-width: 640px) {
  :root { --worklist-height: max(38rem, calc(100dvh - 4.5rem)); }
  [data-testid="stMainBlockContainer"] { padding: 4.4rem .7rem 2rem; }
}
</style>"""


@st.fragment
def work(read: Callable[[Store], Source], name: str | None) -> None:
    """The pane and everything that changes with it; `read` returns the list as it is now."""
    st.html(_ROOM)
    with refusals(), own_store() as store:
        source = read(store)
        grader = graders.find(store, "person", name) if name else None
        source.summary()
        key = pane(store, source, grader) if len(source) else source.nothing()
        source.after(store, key, grader)
