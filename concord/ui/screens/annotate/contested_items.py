"""The contested answers of the tab Annotators; the chosen one with scores and reasons."""

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from concord.reports.reliability import document
from concord.reports.reliability.annotators import CriterionAgreement
from concord.reports.reliability.contested_items import ContestedItem, scores_with_reasons
from concord.store import items
from concord.store.database import Store
from concord.ui import render
from concord.ui.cached_reports import Report
from concord.ui.frame import may_act, recall, remember
from concord.ui.language import plain, say

_LISTED = 30


def contested(store: Store, report: Report, found: CriterionAgreement, name: str) -> None:
    """Show the contested answers; the chosen one with annotators' scores and reasons."""
    part, criterion = document.contested(found.split), found.criterion
    st.subheader(say(part.headline), anchor=False)
    if not found.split.items:
        return
    st.caption(
        say(
            "Largest differences first. Select a row to read its answer. Do not read answers "
            "that you still have to grade."
        )
    )
    listed = found.split.items[:_LISTED]
    (table,), key = part.tables, f"split.{report.sheet.id}.{criterion}"
    render.offer(table, name)
    rows = render.translated_rows(render.rows_of(replace(table, rows=table.rows[:_LISTED])))
    render.picked_row(
        rows,
        key,
        render.called(part.headline, rows),
        on_select=lambda: _chosen(key, listed),
    )
    if may_act(store):
        st.page_link(
            "pages/adjudicate.py",
            label=say("Adjudicate without seeing judges or names"),
            icon=":material/how_to_reg:",
            query_params={"sheet": report.sheet.name, "rubric": report.rubric.name},
        )
    chosen = recall("item") or ""
    if chosen.isdecimal() and int(chosen) in {row.item_id for row in found.split.items}:
        _answer(store, report, criterion, int(chosen))


def _chosen(key: str, listed: Sequence[ContestedItem]) -> None:
    """Keep the chosen row in the URL."""
    rows = st.session_state[key].selection.rows
    remember(item=listed[rows[0]].item_id if rows else None)


def _answer(store: Store, report: Report, criterion: str, item_id: int) -> None:
    """One answer with annotators' scores and reasons, rising and without names."""
    held = items.item(store, item_id).item
    with st.container(border=True):
        st.markdown(f"**{plain(held.question)}**")
        st.markdown(plain(held.answer))
        for score, reason in scores_with_reasons(store, report.panel, criterion, item_id):
            st.markdown(f"**{score}** {plain(reason) or say('no reason given')}")
