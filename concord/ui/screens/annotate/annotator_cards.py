"""The cards of annotators: progress, alerts with a link to the answers, and the pause."""

import json
from dataclasses import replace

import streamlit as st

from concord.clock import day_of
from concord.grading import pauses
from concord.messages import duration, joined, said
from concord.reports.panel.simulated import named
from concord.reports.reliability import alert_headline, annotator_card_document
from concord.reports.reliability.annotator_cards import AnnotatorCard, SetProgress
from concord.rubrics.model import Rubric
from concord.store.database import Store
from concord.text.display import width
from concord.ui import render
from concord.ui.actions import changing, show_refused
from concord.ui.frame import is_narrow
from concord.ui.language import plain, say
from concord.ui.widgets import finding, terms

_RULE = said(
    "An alert requires a difference of at least 10 points and p ≤ .02 divided by the annotator's "
    "number of tests, {tests} (Bonferroni, all criteria)."
)
_LONG = 24  # columns of a name that a telephone shows whole only in smaller letters
_NOTICE = "pause.notice"  # in the session, with the annotator's id


def headline(found: tuple[AnnotatorCard, ...], raised: list[str]) -> None:
    """Show who needs a look, such as those `raised`, who have an alert and still grade."""
    finding(alert_headline.headline(found, raised), alert_headline.detail(found))
    tests = sorted({one.measured.tests for one in found if one.measured.tests})
    if tests:
        st.caption(say(_RULE, tests=_tests(tests)))
    counted = annotator_card_document.counted(found)
    if counted:
        st.caption(say(counted))
    terms("annotator alerts", "repeats", "speeding")


def _tests(numbers: list[int]) -> str:
    """The number of tests of an annotator, or the range where annotators have different ones."""
    low, high = numbers[0], numbers[-1]
    return said("{n:,}", n=low) if low == high else said("{low:,} to {high:,}", low=low, high=high)


def card(store: Store, one: AnnotatorCard, rubric: Rubric, sheet: str, criterion: str) -> None:
    """Show an annotator's progress, alerts, figures on a criterion, and the button to pause.

    The figures are those of an alert where the annotator has some on other criteria alone.
    """
    shown = criterion if criterion in one.alerted else next(iter(one.alerted), criterion)
    show_refused(f"{_NOTICE}.{one.grader_id}")
    document = annotator_card_document.document(one, rubric, shown)
    long = "-long" if width(one.annotator) > _LONG else ""
    with st.container(border=True, key=f"card{long}-{one.grader_id}"):
        row = st.container(
            horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"
        )
        row.subheader(plain(named(one.annotator, one.simulated)), anchor=False)
        with row:
            _actions(one, sheet, shown)
        if one.paused and not one.removed:
            words = said("Paused since {day}. Assignments are kept.", day=day_of(one.paused))
            st.info(say(words), icon=":material/pause:")
        raised = annotator_card_document.alerts(one, rubric)
        if raised:
            lines = "\n".join(f"- {plain(sentence)}" for sentence in raised)
            st.warning(lines, icon=":material/person_alert:")
        for progress in one.progress:
            _progress(progress, one.paused)
        for sentence in annotator_card_document.to_adjudicate(one):
            st.write(plain(sentence))
        lacks = annotator_card_document.untested(one, shown)
        if lacks:
            st.caption(plain(lacks))
        if document.tables:
            name = f"{sheet}-{one.annotator}-card"
            whole, pairs = document.tables
            # Four columns need no scrolling on a telephone.
            few = annotator_card_document.brief(whole, with_p=not is_narrow())
            if shown != criterion:
                few = replace(few, title=rubric.headings()[shown])
            render.show_table(few, name, whole=whole, in_full=True)
            if pairs.rows:
                with st.expander(say(pairs.title), key=f"fold.pairs.{one.grader_id}"):
                    render.body(
                        replace(document, tables=(replace(pairs, title=""),)),
                        name,
                        in_full=True,
                    )


def _actions(one: AnnotatorCard, sheet: str, shown: str) -> None:
    st.page_link(
        "pages/data.py",
        label=say("Read the answers"),
        icon=":material/table_view:",
        query_params={
            "sheet": sheet,
            "annotator": f".{one.annotator}",
            "scores": "1",
            "criteria": json.dumps(one.alerted or [shown]),
        },
    )
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


def _set(grader_id: int, paused: bool) -> None:
    with changing(f"{_NOTICE}.{grader_id}") as store:
        (pauses.pause if paused else pauses.resume)(store, grader_id, store.by())


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
    parts += annotator_card_document.due(one)
    words = said("{set}: {what}", set=one.set, what=joined(" · ", parts))
    st.progress(min(1.0, one.done / max(1, one.total)), plain(words))
