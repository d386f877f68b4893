"""Evidence of one answer on screen: its values, its units next to the texts, and its list."""

import streamlit as st

from concord.messages import counted, joined, said
from concord.model import Grader, Sheet
from concord.reports.panel.unit_words import noun
from concord.reports.units import answer_values, evidence, evidence_list
from concord.reports.units.evidence import Evidence
from concord.rubrics.model import Rubric
from concord.store.database import Store
from concord.ui.actions import refusals
from concord.ui.components.evidence_pane import pane
from concord.ui.language import plain, say
from concord.ui.markup import LOOK
from concord.ui.screens.review.answer_values import values
from concord.ui.screens.review.evidence_edit import edit, edit_others


def show(store: Store, sheet: Sheet, item_id: int, rubric: Rubric | None, who: Grader | None):
    """The answer with all that was said of it; that it was opened is noted first."""
    with refusals():
        _show(store, sheet, item_id, rubric, who)


def _show(store: Store, sheet: Sheet, item_id: int, rubric: Rubric | None, who: Grader | None):
    stored = evidence_list.opened(store, sheet, item_id, who)
    if stored is None:
        st.info(
            say(
                "This answer's question is held out or in the few-shot pool, so it cannot be shown "
                "with a judge's verdicts."
            )
        )
        return
    st.html(LOOK)
    item = stored.item
    by = f" · {plain(item.answer_model)}" if item.answer_model else ""
    st.markdown(f"**{plain(item.question)}**{by}")
    name = rubric.name if rubric else ""
    found = answer_values.read(store, item_id, name)
    values(store, sheet, [one for one in found if answer_values.rests_on(one.record.metric, name)])
    if rubric:
        whole = evidence.read(store, item_id, rubric)
        pane(whole, rubric.plural)
        _left_out(whole, rubric)
        if whole.cut:
            edit(store, whole.cut, noun(rubric.plural), who)
    edit_others(store, item_id, rubric.units if rubric else "", who)
    rest = [one for one in found if not answer_values.rests_on(one.record.metric, name)]
    if rest:
        with st.expander(
            say("Other metric values of this answer ({n})", n=len(rest)), expanded=not rubric
        ):
            values(store, sheet, rest)
    if not rubric:
        with st.expander(say("The answer")):
            st.text(item.answer or say("(empty)"))


def _left_out(found: Evidence, rubric: Rubric) -> None:
    told = []
    if found.gone:
        told.append(
            said(
                "{verdicts} on {units} that are no longer in the list: kept, but excluded from all "
                "figures.",
                verdicts=counted(found.gone, "verdict"),
                units=noun(rubric.plural),
            )
        )
    if found.unplaced:
        told.append(
            said(
                "{quotes} is not verbatim in any of these texts."
                if found.unplaced == 1
                else "{quotes} are not verbatim in any of these texts.",
                quotes=counted(found.unplaced, "quote"),
            )
        )
    if told:
        st.caption(plain(joined(" ", told)))
