"""Annotators: the card of each, where annotators differ, and who is out of line."""

import json
from collections.abc import Sequence

import streamlit as st

from concord.grading import annotators as grading_annotators
from concord.reports.panel.panel import Panel
from concord.reports.reliability import annotator_alerts, reliability
from concord.reports.reliability.annotator_alerts import ACCEPT, EXCLUDE, INCLUDE, Card
from concord.store.database import Store
from concord.store.graders import INCLUDED
from concord.ui import render
from concord.ui.actions import changing, show_refused
from concord.ui.caching import kept
from concord.ui.chart import show_charts
from concord.ui.frame import filters, may_act
from concord.ui.language import plain
from concord.ui.looker import leads
from concord.ui.reports import Report, no_grades, pick_report, warned
from concord.ui.widgets import TO_SETS, empty, finding, select, terms


@kept("Comparing annotators…", 12)
def _agreement(report: Report, criterion: str) -> dict:
    return reliability.of_criterion(report.panel, criterion)


@kept("Looking at each annotator's grades…", 4)
def signs(report: Report) -> dict[int, dict]:
    """Return what each annotator's grades show, by grader id."""
    return annotator_alerts.measured_signs(report.store, report.panel)


def show_agreement(store: Store) -> None:
    """Show the screen Annotators: how far they agree, and who is stricter."""
    then = "this screen shows inter-annotator agreement."
    report = pick_report(store, then)
    if report is None:
        return
    if not report.panel.annotators:
        no_grades(report.sheet, then)
        return
    with filters():
        first = report.rubric.heaviest().name
        criterion = select("Criterion", "criterion", report.rubric.headings(), first)
    agreed = _agreement(report, criterion)
    simulated = sum(person.simulated for person in report.panel.annotators.values())
    shown = reliability.document(agreed, report.rubric, simulated)
    render.head(shown)
    warned(report)
    terms("exact", "within one", "QWK", "alpha", "ceiling", "strictness")
    if not agreed["overall"]["n"]:
        empty(
            "No answer counts as graded by two annotators", reliability.why_alone(agreed), *TO_SETS
        )
        return
    name = f"{report.sheet.name}-{report.rubric.name}-{criterion}-annotators"
    show_charts(shown, name)
    st.caption(reliability.STRICTNESS)
    render.body(shown, name)
    if may_act(store):
        st.page_link(
            "pages/adjudicate.py",
            label="Adjudicate where annotators differ",
            icon=":material/how_to_reg:",
            query_params={"sheet": report.sheet.name, "rubric": report.rubric.name},
        )


def show_progress(store: Store) -> None:
    """Show the screen Progress: a fold per annotator, open where an alert is; for leads."""
    if not leads(store):
        finding("Only leads see a card per annotator here.")
        return
    report = pick_report(store, "this screen shows each annotator's progress and alerts.")
    if report is None:
        return
    cards = annotator_alerts.cards(store, report.panel, signs(report))
    finding(annotator_alerts.headline(cards))
    terms("annotator alerts", "repeats")
    for card in sorted(cards, key=lambda card: not annotator_alerts.has_open(card)):
        is_open = annotator_alerts.has_open(card)
        with st.expander(plain(annotator_alerts.name_of(card)), expanded=is_open):
            _show_card(card, report.panel)


_NOTICE = "pause.notice"  # in the session, with the annotator's id


def _show_card(card: Card, panel: Panel) -> None:
    """Show an annotator's alerts and signals, and what a lead may decide."""
    show_refused(f"{_NOTICE}.{card['grader_id']}")
    with st.container(horizontal=True, vertical_alignment="center"):
        _actions(card, panel)
    for sentence in annotator_alerts.standing(card):
        st.info(plain(sentence), icon=":material/how_to_reg:")
    lines = [f"- {plain(alert.sentence)}" for alert in card["alerts"]]
    if lines:
        st.warning("\n".join(lines), icon=":material/person_alert:")
    if card["note"]:
        st.info(plain(card["note"]["sentence"]), icon=":material/info:")
    if card["signals"]:
        name = f"{panel.sheet.name}-{card['annotator']}-card"
        render.show_table(annotator_alerts.signals(card), name)


def _actions(card: Card, panel: Panel) -> None:
    grader_id, sentences = card["grader_id"], [one.sentence for one in card["alerts"]]
    st.page_link(
        "pages/data.py",
        label="Read the answers",
        icon=":material/table_view:",
        query_params={
            "sheet": panel.sheet.name,
            "annotator": f".{card['annotator']}",
            "scores": "1",
            "criteria": json.dumps([one.name for one in panel.rubric.criteria]),
        },
    )
    is_open = annotator_alerts.has_open(card)
    decisions(card["annotator"], grader_id, panel, is_open, card["state"], sentences)
    pause_button(card["annotator"], grader_id, card["paused"])


def pause_button(name: str, grader_id: int, paused: str | None, place: str = "") -> None:
    """The button that pauses an annotator, or ends the pause."""
    st.button(
        f"{'Resume' if paused else 'Pause'} {plain(name)}",
        icon=":material/play_arrow:" if paused else ":material/pause:",
        key=f"{place}pause.{grader_id}",
        type="tertiary",
        on_click=_set,
        args=(grader_id, paused is None),
    )


def decisions(
    name: str,
    grader_id: int,
    panel: Panel,
    is_open: bool,
    state: str,
    alerts: Sequence[str],
    place: str = "",
) -> None:
    """Offer to exclude an annotator, whose alerts are a reason, to include or to accept."""
    show_refused(f"{_NOTICE}.{grader_id}")
    why = " ".join(alerts) if state == INCLUDED else ""
    for action in [ACCEPT] * is_open + [EXCLUDE if state == INCLUDED else INCLUDE]:
        label, icon, means = _DECISIONS[action]
        label, key = label.format(name=plain(name)), f"{place}{action}.{grader_id}"
        with (
            st.popover(label, icon=f":material/{icon}:", type="tertiary"),
            st.form(f"{key}.form", enter_to_submit=False, border=False),
        ):
            st.write(means)
            st.text_input("Reason", why if action == EXCLUDE else "", key=f"{key}.why")
            args = grader_id, panel, action, f"{key}.why"
            st.form_submit_button(label, key=key, on_click=_decide, args=args)


_DECISIONS = {
    EXCLUDE: ("Exclude {name}", "person_off", "Figures will leave out their grades."),
    INCLUDE: ("Include {name}", "person_add", "Figures will include their grades."),
    ACCEPT: ("Accept the alert", "check", "Their grades go on counting."),
}


def _decide(grader_id: int, panel: Panel, action: str, why: str) -> None:
    reason = st.session_state[why]
    with changing(f"{_NOTICE}.{grader_id}") as store:
        annotator_alerts.decide(store, panel, grader_id, action, store.by(), reason)


def _set(grader_id: int, paused: bool) -> None:
    with changing(f"{_NOTICE}.{grader_id}") as store:
        (grading_annotators.pause if paused else grading_annotators.resume)(
            store, grader_id, store.by()
        )
