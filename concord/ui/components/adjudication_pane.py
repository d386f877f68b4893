"""Adjudication in the grading pane: the same component and keys, with letters in place of names."""

from functools import partial
from typing import Any

import streamlit as st

from concord.definitions import digest
from concord.grading.workspace import Saved
from concord.reports.disagreements import adjudication_keys
from concord.reports.disagreements.adjudication_keys import AdjudicationPick
from concord.store import permissions
from concord.store.database import Store
from concord.ui.components import adjudication_data
from concord.ui.components.grading_pane import SHARED, Batch, draw, number, pane_data
from concord.ui.components.payload import sent
from concord.ui.frame import grading_only, link_of, recall
from concord.ui.sign_in import adjudicating_store

# What stands above the pane is low, so that the scores and what annotators gave fit below it.
_ROOM = """
:root { --grading-height: max(30rem, calc(100dvh - 9.2rem)); }
[data-testid="stMainBlockContainer"] > [data-testid="stVerticalBlock"] { gap: .4rem; }
html .stMain [data-testid="stHeading"] h2 { padding: .3rem 0; font-size: 1.1rem; }
[data-testid="stHeading"] [data-testid="stMarkdownContainer"] { margin: 0; }
.st-key-filters [data-testid="stButtonGroup"] > label { position: absolute; clip-path: inset(50%); }
[data-testid="stMain"] { scroll-padding-bottom: 3rem; } /* what has the focus is above the keys */
@media (max-width: 640px), (max-height: 480px) {
  :root { --grading-height: calc(100dvh - 4rem); }
  [data-testid="stMain"] { scroll-padding-bottom: 9rem; }
}
</style>"""


@st.fragment
def adjudication_pane(wanted: AdjudicationPick) -> None:
    """Show the cases one by one; each key press is stored as an adjudication."""
    st.html(SHARED + _ROOM)
    who = wanted.adjudicator.id if wanted.adjudicator else 0
    about = (wanted.panel.sheet.id, wanted.panel.rubric.name, wanted.trigger, wanted.seed)
    token = digest([*map(str, about)])
    name = f"adjudicating.{token}.{who}"
    batch = sent(name, Batch) or Batch()
    at = batch.at or number(recall("at"))
    read = partial(_read, wanted=wanted, token=token, at=at, have={*batch.have})
    data = pane_data(name, read, at, grading_only(), _blind_store)
    data |= {"languages": None}  # the language is picked above it
    draw(name, data, partial(_saved, wanted=wanted, token=token), _blind_store)


def _blind_store() -> Store:
    store = adjudicating_store(link_of())
    permissions.blind(store)
    return store


def _saved(store: Store, batch: Batch, wanted: AdjudicationPick, token: str) -> Saved:
    return adjudication_keys.save(store, wanted, batch.keys if batch.set == token else [])


def _read(
    store: Store, wanted: AdjudicationPick, token: str, at: int | None, have: set[str]
) -> Any:
    return adjudication_data.read(store, wanted, token, at, have)
