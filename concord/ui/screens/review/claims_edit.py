"""The list of units of one answer, as an annotator edits and approves it."""

import streamlit as st

from concord.messages import joined, said
from concord.metrics.prompts.unit_kinds import KINDS
from concord.model import ENTITIES, Grader
from concord.reports.panel.unit_words import noun
from concord.reports.units import evidence, extraction, unit_edit
from concord.store import graders
from concord.store.database import Store
from concord.store.units import units
from concord.store.units.units import Decomposition
from concord.ui import render
from concord.ui.language import plain, say

_LINE, _LEAST, _MOST = 30, 120, 480
_SHARED = said(
    "All judges, metrics and annotators share this list. Write one item per line; unchanged items "
    "keep their verdicts."
)
_NAMES = said("Write other names of an entity after the first one, separated by |.")
_ENTITIES = joined(" ", [_SHARED, _NAMES])


def edit(
    store: Store, cut: Decomposition, plural: str, who: Grader | None, is_open: bool = False
) -> None:
    """Show who made and approved a list, and for a named viewer the form that changes it."""
    if not unit_edit.can_be_edited(cut.kind):
        return
    head = say("The list of {units}: edit, approve", units=plural)
    with st.expander(head, expanded=is_open, icon=":material/edit_note:"):
        st.caption(plain(joined(" ", [_made(store, cut), extraction.of_list(store, cut)])))
        st.markdown(say(_ENTITIES if cut.kind in ENTITIES else _SHARED))
        if who is None:
            no_name = said("Enter your name above to edit or approve a list.")
            st.info(plain(store.why_no_lead() or no_name))
            return
        _approve(store, cut, who)
        _write(store, cut, who)


def _approve(store: Store, cut: Decomposition, who: Grader) -> None:
    if who.id in cut.approved_by:
        st.caption(say(":material/check: You have approved this list."))
    elif st.button(
        say("Approve list as is"),
        key=f"evidence.approve.{cut.kind}",
        icon=":material/check:",
    ):
        units.approve(store, cut.id, who.id)
        st.rerun()


def _write(store: Store, cut: Decomposition, who: Grader) -> None:
    lines = unit_edit.as_lines(cut)
    height = min(_MOST, max(_LEAST, _LINE * (2 + lines.count("\n"))))
    text = st.text_area(say("One per line"), lines, height=height, key=f"evidence.lines.{cut.id}")
    planned = unit_edit.plan(store, cut, text)
    if planned.is_none():
        return
    effect = unit_edit.document(planned)
    st.warning(plain(effect.headline))
    for fact in filter(None, effect.facts):
        st.markdown(plain(fact))
    render.body(effect, f"evidence-{cut.kind}")
    why = st.text_input(say("Reason, for later readers"), key=f"evidence.why.{cut.id}")
    if st.button(
        say("Save the list"),
        type="primary",
        key=f"evidence.save.{cut.kind}",
        icon=":material/save:",
    ):
        made = units.edit(store, cut, planned.texts, who.id, why.strip())
        units.approve(store, made.id, who.id)
        st.rerun()


def _made(store: Store, cut: Decomposition) -> str:
    """Return a sentence on who made the list, and who approved it."""
    maker = cut.decomposer_id
    by = said("a rule") if maker is None else graders.get(store, maker).label()
    made = said("Edited by {who}." if cut.supersedes else "Made by {who}.", who=by)
    names = joined(", ", (graders.get(store, one).name for one in cut.approved_by))
    approved = said("Approved by {names}.", names=names) if names else said("Not approved yet.")
    return joined(" ", [made, approved])


def edit_others(store: Store, item_id: int, besides: str, who: Grader | None) -> None:
    """The other lists that metrics rest on, such as entities, one at a time."""
    lists = {one.kind: one for one in evidence.other_lists(store, item_id, besides)}
    if not lists:
        return
    chosen = st.pills(
        say("Other lists of this answer"),
        list(lists),
        format_func=lambda kind: say(
            "{units} ({n})", units=noun(KINDS[kind].plural), n=len(lists[kind].units)
        ),
        key=f"evidence.other.{besides}",
    )
    if chosen:
        edit(store, lists[chosen], noun(KINDS[chosen].plural), who, is_open=True)
