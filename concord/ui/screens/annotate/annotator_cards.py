"""The cards of annotators: progress, alerts, signals, and what a lead may decide."""

import json

import streamlit as st

from concord.clock import day_of
from concord.grading import annotators
from concord.messages import duration, joined, said
from concord.reports.panel.panel import Panel
from concord.reports.panel.simulated import named
from concord.reports.reliability import annotator_cards, annotator_decisions
from concord.reports.reliability.annotator_cards import AnnotatorCard, SetProgress
from concord.reports.reliability.annotator_decisions import ACCEPT, EXCLUDE, INCLUDE
from concord.store.graders import INCLUDED
from concord.text.display import width
from concord.ui import render
from concord.ui.actions import changing, show_refused
from concord.ui.language import plain, say

_LONG = 24  # columns of a name that a telephone shows whole only in smaller letters
_NOTICE = "pause.notice"  # in the session, with the annotator's id


def card(one: AnnotatorCard, panel: Panel) -> None:
    """Show an annotator's progress, alerts and signals, and what a lead may decide."""
    show_refused(f"{_NOTICE}.{one.grader_id}")
    long = "-long" if width(one.annotator) > _LONG else ""
    with st.container(border=True, key=f"card{long}-{one.grader_id}"):
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
        help=say("A paused annotator cannot grade. Grades stay and count; nothing is reassigned."),
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
        annotator_decisions.decide(store, panel, grader_id, action, store.by(), reason)


def _set(grader_id: int, paused: bool) -> None:
    with changing(f"{_NOTICE}.{grader_id}") as store:
        (annotators.pause if paused else annotators.resume)(store, grader_id, store.by())


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
