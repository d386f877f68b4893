"""Below an answer with its claims: its metric values and its lists of units."""

import streamlit as st

from concord.messages import counted, joined, said
from concord.model import Grader, Sheet
from concord.reports.panel.unit_words import noun
from concord.reports.units import answer_values
from concord.reports.units.evidence import Evidence
from concord.rubrics.model import Rubric
from concord.store.database import Store
from concord.ui.language import plain, say
from concord.ui.screens.review.answer_values import values
from concord.ui.screens.review.claims_edit import edit, edit_others


def below(
    store: Store,
    sheet: Sheet,
    item_id: int,
    whole: Evidence | None,
    rubric: Rubric | None,
    grader: Grader | None,
) -> None:
    """Show values and lists of an answer, those of the rubric first; `whole` is under it."""
    name = rubric.name if rubric else ""
    found = answer_values.read(store, item_id, name)
    mine = [one for one in found if answer_values.rests_on(one.record.metric, name)]
    rest = [one for one in found if one not in mine]
    if whole:
        _left_out(whole, noun(rubric.plural))
        values(store, sheet, mine, f"answer-{item_id}")
        if whole.cut:
            edit(store, whole.cut, noun(rubric.plural), grader)
    edit_others(store, item_id, rubric.units if rubric else "", grader)
    if rest:
        title = say("Other metric values of this answer ({n})", n=len(rest))
        with st.expander(title, expanded=not rubric):
            values(store, sheet, rest, f"answer-{item_id}-other")


def _left_out(found: Evidence, units: str) -> None:
    parts = []
    if found.gone:
        parts.append(
            said(
                "{verdicts} on {units} that are no longer in the list: kept, but excluded from all "
                "figures.",
                verdicts=counted(found.gone, "verdict"),
                units=units,
            )
        )
    if found.unplaced:
        parts.append(
            said(
                "{quotes} is not verbatim in any of these texts."
                if found.unplaced == 1
                else "{quotes} are not verbatim in any of these texts.",
                quotes=counted(found.unplaced, "quote"),
            )
        )
    if parts:
        st.caption(plain(joined(" ", parts)))
