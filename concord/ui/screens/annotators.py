"""Annotators: the card of each, where annotators differ, and who is out of line."""

import json
from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from concord.clock import day_of
from concord.grading import annotators as grading_annotators
from concord.messages import duration, joined, said
from concord.reports.document import Document
from concord.reports.panel.panel import Panel
from concord.reports.panel.provenance import named
from concord.reports.reliability import annotator_alerts, annotator_cards, annotators
from concord.reports.reliability.annotator_alerts import ACCEPT, EXCLUDE, INCLUDE, Measured
from concord.reports.reliability.annotator_cards import AnnotatorCard, SetProgress
from concord.reports.reliability.annotators import (
    CriterionAgreement,
    scores_with_reasons,
)
from concord.store import items
from concord.store.database import Store
from concord.store.graders import INCLUDED
from concord.ui import render
from concord.ui.actions import changing, show_refused
from concord.ui.cached_reports import Report
from concord.ui.caching import kept
from concord.ui.frame import may_act, recall, remember
from concord.ui.language import plain, say


@kept(said("Comparing annotators…"), 12)
def annotator_agreement(report: Report, criterion: str) -> CriterionAgreement:
    """Return inter-annotator agreement on a criterion."""
    return annotators.of_criterion(report.store, report.panel, criterion)


def agreement_document(report: Report, found: CriterionAgreement) -> Document:
    """Return inter-annotator agreement on a criterion as it is shown."""
    simulated = sum(person.simulated for person in report.panel.annotators.values())
    return annotators.document(found, report.rubric, simulated)


@kept(said("Looking at each annotator's grades…"), 4)
def measured(report: Report) -> dict[int, Measured]:
    """Return what each annotator's grades show, for a lead; by grader id."""
    return annotator_alerts.measured_signs(report.store, report.panel)


_NOTICE = "pause.notice"  # in the session, with the annotator's id


def card(one: AnnotatorCard, panel: Panel) -> None:
    """Show an annotator's progress, alerts and signals, and what a lead may decide."""
    show_refused(f"{_NOTICE}.{one.grader_id}")
    with st.container(border=True, key=f"card-{one.grader_id}"):
        row = st.container(
            horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"
        )
        row.subheader(plain(named(one.annotator, one.simulated)), anchor=False)
        with row:
            _actions(one, panel)
        for sentence in annotator_cards.standing(one):
            st.info(plain(sentence), icon=":material/how_to_reg:")
        if one.paused and not one.removed:
            words = said("Paused since {day}. Assignments are kept.", day=day_of(one.paused))
            st.info(say(words), icon=":material/pause:")
        lines = [f"- {plain(alert.sentence)}" for alert in one.measured.alerts]
        if lines:
            st.warning("\n".join(lines), icon=":material/person_alert:")
        for sentence in annotator_cards.notes(one):
            st.info(plain(sentence), icon=":material/info:")
        for progress in one.progress:
            _progress(progress, one.paused)
        for sentence in annotator_cards.to_adjudicate(one):
            st.write(plain(sentence))
        if one.measured.signals:
            name = f"{panel.sheet.name}-{one.annotator}-card"
            render.show_table(annotator_cards.signals(one), name, in_full=True)


def _actions(one: AnnotatorCard, panel: Panel) -> None:
    st.page_link(
        "pages/data.py",
        label=say("Read the answers"),
        icon=":material/table_view:",
        query_params={
            "sheet": panel.sheet.name,
            "annotator": f".{one.annotator}",
            "scores": "1",
            "criteria": json.dumps([one.name for one in panel.rubric.criteria]),
        },
    )
    if one.grader_id in panel.persons:
        if one.measured.has_open:
            _decision(one, panel, ACCEPT)
        _decision(one, panel, EXCLUDE if one.state == INCLUDED else INCLUDE)
    if one.removed or not (one.progress or one.paused):
        return  # there is nothing they could grade
    label = said("Resume {name}") if one.paused else said("Pause {name}")
    st.button(
        say(label, name=plain(one.annotator)),
        icon=":material/play_arrow:" if one.paused else ":material/pause:",
        key=f"pause.{one.grader_id}",
        on_click=_set,
        args=(one.grader_id, one.paused is None),
    )


_DECISIONS = {
    EXCLUDE: (said("Exclude {name}"), "person_off", said("Figures will leave out their grades.")),
    INCLUDE: (said("Include {name}"), "person_add", said("Figures will include their grades.")),
    ACCEPT: (said("Accept the alert"), "check", said("Their grades go on counting.")),
}


def _decision(one: AnnotatorCard, panel: Panel, action: str) -> None:
    """Ask for the reason of a decision about whether an annotator's grades count."""
    label, icon, means = _DECISIONS[action]
    label, key = say(label, name=plain(one.annotator)), f"{action}.{one.grader_id}"
    with (
        st.popover(label, icon=f":material/{icon}:", type="tertiary"),
        st.form(f"{key}.form", enter_to_submit=False, border=False),
    ):
        st.write(say(means))
        st.text_input(say("Reason"), key=f"{key}.why")
        args = one.grader_id, panel, action, f"{key}.why"
        st.form_submit_button(label, key=key, on_click=_decide, args=args)


def _decide(grader_id: int, panel: Panel, action: str, why: str) -> None:
    reason = st.session_state[why]
    with changing(f"{_NOTICE}.{grader_id}") as store:
        annotator_alerts.decide(store, panel, grader_id, action, store.by(), reason)


def _set(grader_id: int, paused: bool) -> None:
    with changing(f"{_NOTICE}.{grader_id}") as store:
        (grading_annotators.pause if paused else grading_annotators.resume)(
            store, grader_id, store.by()
        )


def _progress(one: SetProgress, paused: str | None) -> None:
    if one.removed:
        words = said(
            "{name}: removed from the set; {done:,} graded, and kept", name=one.set, done=one.done
        )
        st.write(plain(words))
        return
    parts = [said("{done:,} of {total:,}", done=one.done, total=one.total)]
    left = (one.total - one.done) * (one.pace or 0)
    if left >= 60 and not paused:
        parts.append(said("about {time} left", time=duration(left)))
    parts += annotator_cards.due(one)
    words = said("{set}: {what}", set=one.set, what=joined(" · ", parts))
    st.progress(min(1.0, one.done / max(1, one.total)), plain(words))


_LISTED = 30


def contested(store: Store, report: Report, found: CriterionAgreement, name: str) -> None:
    """Show the contested answers; the chosen one with annotators' scores and reasons."""
    table, criterion = annotators.contested(found.split), found.criterion
    st.subheader(say(table.title), anchor=False)
    if not table.rows:
        return
    st.caption("Select a row to read its answer, but none that you still have to grade.")
    listed = found.split["items"][:_LISTED]
    key = f"split.{report.sheet.id}.{criterion}"
    render.offer(table, name)
    rows = render.translated_rows(render.rows_of(replace(table, rows=table.rows[:_LISTED])))
    render.picked_row(
        rows,
        key,
        render.called(table.title, rows),
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
    if chosen.isdecimal() and int(chosen) in {row["item_id"] for row in found.split["items"]}:
        _answer(store, report, criterion, int(chosen))


def _chosen(key: str, listed: Sequence[dict]) -> None:
    """Keep the chosen row in the URL."""
    rows = st.session_state[key].selection.rows
    remember(item=listed[rows[0]]["item_id"] if rows else None)


def _answer(store: Store, report: Report, criterion: str, item_id: int) -> None:
    """One answer with annotators' scores and reasons, rising and without names."""
    held = items.item(store, item_id).item
    with st.container(border=True):
        st.markdown(f"**{plain(held.question)}**")
        st.markdown(plain(held.answer))
        for score, reason in scores_with_reasons(store, report.panel, criterion, item_id):
            st.markdown(f"**{score}** {plain(reason) or say('no reason given')}")
