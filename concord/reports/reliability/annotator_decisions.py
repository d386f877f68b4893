"""Decisions about annotators: excluding, including, or accepting the open alert on one."""

from concord.grading.annotators import state_of
from concord.messages import Problem
from concord.reports.panel.panel import Panel
from concord.reports.reliability import annotator_alerts
from concord.store import graders
from concord.store.database import Store
from concord.store.graders import EXCLUDED, INCLUDED

EXCLUDE, INCLUDE, ACCEPT = "exclude", "include", "accept"


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
    measured = annotator_alerts.measured(store, panel)
    alert = person in measured and measured[person].has_open
    if action == ACCEPT and not alert:
        raise Problem("There is no open alert on {name}.", name=grader.name)
    to = EXCLUDED if action == EXCLUDE else INCLUDED
    graders.decide_annotator(store, panel.sheet.id, person, to, by, why, alert)
