"""Rubric freeze before a team grades, and the first set read as a pilot."""

import streamlit as st

from concord.clock import day_of
from concord.grading import assignments
from concord.grading.grading_sets import GradingSet
from concord.messages import said
from concord.reports.panel import panel_reading
from concord.reports.planning import pilot as report
from concord.reports.workflow import rubric_freeze
from concord.store import sheets
from concord.store.database import Store
from concord.store.rubrics import rubric_freezes, rubric_versions
from concord.ui import render
from concord.ui.actions import refusals
from concord.ui.language import say


def freeze(store: Store, grading_set: GradingSet) -> None:
    """Show how the set's rubric was frozen and what changed, or the button that freezes it."""
    found = rubric_freeze.freeze(store, grading_set)
    if not (found.at or store.may_lead()):
        return
    title = (
        said("Rubric frozen on {day}", day=day_of(found.at))
        if found.at
        else said("Freeze the rubric")
    )
    with st.expander(say(title), icon=":material/ac_unit:"):
        render.show(rubric_freeze.document(found), f"{grading_set.name}-freeze", folded=True)
        if not found.at:
            st.write(
                say(
                    "After the training round, freeze the rubric: the set keeps that wording "
                    "permanently. Later edits list the grades they make outdated."
                )
            )
            if st.button(say("Freeze rubric"), key=f"freeze.{grading_set.id}"):
                with refusals():
                    rubric_freezes.freeze(store, grading_set, store.by())
                    st.rerun()


def pilot(store: Store, grading_set: GradingSet) -> None:
    """Show the set as a pilot, computed on request."""
    rubric = rubric_versions.get(store, grading_set.rubric_id)
    if rubric.units or not (store.may_lead() or assignments.annotators(store, grading_set.id)):
        return
    with st.expander(say("Pilot: minutes, agreement and sample size"), icon=":material/timer:"):
        if not st.toggle(say("Compute"), key=f"pilot.{grading_set.id}"):
            st.caption(
                say(
                    "Grade about {n} questions first, with two annotators or more. The pilot then "
                    "estimates the sample size and the hours.",
                    n=report.USUAL,
                )
            )
            return
        every = {sheet.id: sheet for sheet in sheets.all_sheets(store)}
        panel = panel_reading.read(store, every[grading_set.sheet_id], rubric)
        found = report.document(report.pilot(store, panel, grading_set))
        render.show(found, f"{grading_set.name}-pilot", folded=True)
