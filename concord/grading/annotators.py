"""Annotators that count among the graders of a sheet, and why the others do not."""

from collections.abc import Iterable, Mapping

from concord.messages import Problem, joined, said
from concord.model import Grader
from concord.stats.core.estimate import Reason, reason
from concord.store import annotator_states, graders
from concord.store.annotator_states import EXCLUDED, INCLUDED, PENDING, AnnotatorState
from concord.store.database import Store

AUTHOR = "author"
IS_PENDING = reason("annotator_pending")
REPLACED = reason("annotator_replaced")
NOT_CHOSEN = reason("annotator_not_chosen")
MEAN = reason("annotator_is_mean")
WITHOUT = {"annotator_excluded", "annotator_pending"}  # codes of those whom a lead may include


def counting(
    persons: Iterable[Grader],
    states: Mapping[int, AnnotatorState],
    names: tuple[str, ...] | None = None,
) -> tuple[dict[int, Grader], dict[str, Reason]]:
    """Return the annotators that count, by grader id, and the reason by name for each other one.

    `states` are those decided on the sheet (`annotator_states.of_sheet`). Simulated annotators
    count until someone included other than the sample's author has graded. `names` restricts to
    those named, simulated or not; a Problem where one of them graded nothing or is not included. A
    mean of annotators is no annotator.
    """
    annotators = {person.id: person for person in persons if person.kind == "person"}
    if names:
        _check(names, annotators, states)
        out, why = [p for p in annotators.values() if p.name not in names], NOT_CHOSEN
    else:
        real = any(
            not p.simulated and p.name != AUTHOR and state_of(p, states) == INCLUDED
            for p in annotators.values()
        )
        out, why = [p for p in annotators.values() if real and p.simulated], REPLACED
    uncounted = {p.name: why for p in out}
    for person in annotators.values():
        state = state_of(person, states)
        if state == PENDING:
            uncounted[person.name] = IS_PENDING
        elif state == EXCLUDED:
            uncounted[person.name] = _excluded(states[person.id])
        elif person.is_mean and person not in out:
            uncounted[person.name] = MEAN
    return {i: p for i, p in annotators.items() if p.name not in uncounted}, uncounted


def state_of(person: Grader, states: Mapping[int, AnnotatorState]) -> str:
    """Return `included`, `pending` or `excluded`, as decided or by default."""
    decided = states.get(person.id)
    return decided.state if decided else PENDING if person.pending else INCLUDED


def included(store: Store, sheet_id: int) -> list[int]:
    """Return the ids of the annotators who are neither pending nor excluded on a sheet."""
    states = annotator_states.of_sheet(store, sheet_id)
    everyone = graders.of_kind(store, "person")
    return [one.id for one in everyone if state_of(one, states) == INCLUDED]


def _excluded(decided: AnnotatorState) -> Reason:
    why = decided.why.rstrip(".")
    return reason("annotator_excluded", who=decided.by, day=decided.at[:10], why=why)


def _check(
    names: tuple[str, ...], annotators: dict[int, Grader], states: Mapping[int, AnnotatorState]
) -> None:
    known = {person.name for person in annotators.values()}
    for name in names:
        if name not in known:
            listed = joined(", ", sorted(known)) or said("none")
            found = {"name": name, "annotators": listed}
            raise Problem(
                "“{name}” has graded nothing here. These annotators have: {annotators}.", **found
            )
    for person in annotators.values():
        state = state_of(person, states)
        if person.name in names and state != INCLUDED:
            raise Problem(
                "“{name}” is pending: fewer than 10 graded answers and not included yet. Include "
                "the annotator first: “annotators --include NAME”, or under Annotate, Progress."
                if state == PENDING
                else "“{name}” is excluded from this sheet. Include the annotator first: "
                "“annotators --include NAME”, or under Annotate, Progress.",
                name=person.name,
            )
