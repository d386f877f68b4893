"""The parts of the tab Annotators: inter-annotator agreement, and where annotators differ."""

from dataclasses import replace

import streamlit as st

from concord.messages import said
from concord.reports.document import Document
from concord.reports.reliability import document
from concord.reports.reliability.annotators import CriterionAgreement
from concord.store.database import Store
from concord.store.permissions import LEAD, Who
from concord.ui import render
from concord.ui.cached_reports import Report
from concord.ui.chart import show_chart
from concord.ui.language import say
from concord.ui.report_picker import warned
from concord.ui.screens.annotate.cached_annotators import quality_report
from concord.ui.widgets import select, switch, terms

WORDS = ("exact", said("within one"), "QWK", "alpha", "ceiling", "strictness")
WORDS += (said("annotator warnings"), said("second annotator"))
_PERIODS = {"thirds": said("Thirds of the answers"), "days": said("Days")}


def pick_criterion(report: Report) -> str:
    """The criterion that is looked at; the heaviest to begin with."""
    first = report.rubric.heaviest().name
    return select(said("Criterion"), "criterion", report.rubric.headings(), first)


def headline(report: Report, found: CriterionAgreement) -> None:
    """Show the finding, warnings, and what the words mean."""
    simulated = sum(person.simulated for person in report.panel.annotators.values())
    head = document.overall(found, report.rubric, simulated)
    render.show(head, "annotators", in_full=True)
    warned(found.annotator_warnings)
    terms(*WORDS)


def second_annotator(found: CriterionAgreement, name: str) -> None:
    """Show whether to add a second annotator or grade more answers, with the designs."""
    part = document.second_annotator(found.second_annotator, bool(found.annotator_warnings))
    st.subheader(say(part.headline), anchor=False)
    if found.second_annotator.why_none:
        return
    designs, components = part.tables
    render.body(replace(part, tables=(designs,)), name, in_full=True)
    with st.expander(say(components.title)):
        render.show_table(components, name, in_full=True, titled=False)


def strictness(found: CriterionAgreement, name: str) -> None:
    """Show the bias of each annotator, and each pair of annotators."""
    part = document.strictness(found)
    st.subheader(say(part.headline), anchor=False)
    st.caption(say(document.STRICTNESS))
    for chart in part.charts:
        show_chart(chart, name)
    _part(document.pairs(found.pairs), name)


def over_time(found: CriterionAgreement, name: str) -> None:
    """Show agreement by period."""
    periods = found.over_time.thirds
    st.subheader(say("Over time"), anchor=False)
    if periods:
        by = switch(said("Period"), "by", _PERIODS, label_visibility="collapsed")
        periods = getattr(found.over_time, by)
        name = f"{name}-{by}"
    render.body(document.over_time(found.over_time, periods), name, in_full=True)


def quality(store: Store, report: Report, criterion: str, zone: str, name: str) -> None:
    """Show the consistency and speed of each annotator, to those who may see it."""
    if not may_see(store.who):
        return
    title = say("Each annotator over time, and grades given too fast")
    with st.expander(title, key="fold.quality", on_change="rerun") as fold:
        if fold.open:
            terms("consistency over time", "repeats", said("speeding"))
            found = quality_report(report, zone)
            render.body(document.quality(found, report.rubric, criterion), name, in_full=True)


def may_see(who: Who | None) -> bool:
    """Return whether someone may see annotator quality: leads, and anyone without sign-in."""
    return who is None or who.role == LEAD


def _part(part: Document, name: str) -> None:
    st.subheader(say(part.headline), anchor=False)
    render.body(part, name, in_full=True)
