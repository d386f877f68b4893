"""Decisions about annotators: which alerts are open, and excluding, including or accepting."""

from collections.abc import Mapping

from concord.grading.annotators import state_of
from concord.messages import Problem
from concord.reports.panel import grading_times
from concord.reports.panel.panel import Panel
from concord.reports.reliability import annotator_signals, lone_annotator
from concord.reports.reliability.annotator_signals import AnnotatorSignals
from concord.store import annotator_states
from concord.store.annotator_states import EXCLUDED, INCLUDED
from concord.store.database import Store

EXCLUDE, INCLUDE, ACCEPT = "exclude", "include", "accept"


def with_open_alert(panel: Panel, measured: Mapping[int, AnnotatorSignals]) -> set[int]:
    """Return the ids of annotators who count and have an alert that was not accepted."""
    alerted = {i for i, its in measured.items() if its.alerts}
    alerted |= {one.annotator for one in lone_annotator.lone_copies(panel)}
    return {i for i in panel.annotators if i in alerted and not panel.alert_accepted(i)}


def decide(store: Store, panel: Panel, person: int, action: str, by: str, why: str = "") -> None:
    """Exclude an annotator of a sheet, include them again, or accept the open alert on them.

    Raises:
        Problem: Nothing would change, or the reason is missing.
    """
    grader = panel.persons.get(person)
    if grader is None:
        raise Problem("This annotator has graded nothing here.")
    state = state_of(grader, panel.states)
    if state == (EXCLUDED if action == EXCLUDE else INCLUDED) and action != ACCEPT:
        raise Problem("{name} is {state} already.", name=grader.name, state=state)
    measured = annotator_signals.measured(store, panel, grading_times.read(store, panel))
    alert = person in with_open_alert(panel, measured)
    if action == ACCEPT and not alert:
        raise Problem("There is no open alert on {name}.", name=grader.name)
    to = EXCLUDED if action == EXCLUDE else INCLUDED
    annotator_states.decide(store, panel.sheet.id, person, to, by, why, alert)
