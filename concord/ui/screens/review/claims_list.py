"""The list of answers with claims under the filters of the screen."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from concord.messages import said
from concord.model import Sheet
from concord.reports.units import evidence_list
from concord.reports.units.evidence_list import LIST
from concord.store.database import Store
from concord.ui import work_list
from concord.ui.cached_metrics import readings
from concord.ui.components.review_pane import Source
from concord.ui.frame import filters, recall, remember
from concord.ui.language import say
from concord.ui.screens.review.claims import Answers
from concord.ui.screens.review.claims_below import below
from concord.ui.screens.review.claims_pick import Picked, matching
from concord.ui.screens.review.claims_pick import pick as pick_rubric
from concord.ui.screens.review.claims_words import headline, nothing
from concord.ui.widgets import no_sheet, pick_sheet


def pick(store: Store, top) -> Callable[[Store], Source] | None:
    """Show filters and headline; return how to read the list, or None if it is not available."""
    sheet = pick_sheet(store)
    with filters():
        found = readings(store, sheet) if sheet else None
        picked = pick_rubric(store, sheet, found) if sheet else None
        narrowed = _narrow(store, sheet, picked) if picked else None
    if picked:
        with top:
            headline(sheet, picked)
        return partial(Answers, sheet, narrowed, len(picked.listed.rows), below)
    if sheet is None:
        no_sheet(said("then metrics split answers into parts, and this screen shows the evidence."))
    else:
        nothing()
    return None


def _narrow(store: Store, sheet: Sheet, picked: Picked) -> Picked:
    """The list with only one answering model's answers, or those that hold some words."""
    model = work_list.filters(LIST, picked.listed.rows)["answered"]
    words = st.text_input(
        say("Search"),
        recall("words") or "",
        placeholder=say("question, answer or id"),
        key=f"evidence.words.{sheet.id}",
    ).strip()
    remember(words=words or None)
    found = matching(store, sheet, words) if words else None
    return picked._replace(listed=evidence_list.narrowed(picked.listed, model, found))
