"""Annotators that count among the graders of a sheet, why the others do not, and who is paused.

The queues of a paused annotator wait until a lead resumes them: the newest row decides, grades
already given stay and count, and nothing is reassigned.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from concord.clock import now
from concord.messages import Problem, joined, said
from concord.model import Grader
from concord.stats.core.estimate import Reason, reason
from concord.store import graders
from concord.store.database import Store
from concord.store.graders import EXCLUDED, INCLUDED, PENDING, AnnotatorState

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
            decided = states[person.id]
            why_out = {"who": decided.by, "day": decided.at[:10], "why": decided.why.rstrip(".")}
            uncounted[person.name] = reason("annotator_excluded", **why_out)
        elif person.is_mean and person not in out:
            uncounted[person.name] = MEAN
    return {i: p for i, p in annotators.items() if p.name not in uncounted}, uncounted


def state_of(person: Grader, states: Mapping[int, AnnotatorState]) -> str:
    """Return `included`, `pending` or `excluded`, as decided or by default."""
    decided = states.get(person.id)
    return decided.state if decided else PENDING if person.pending else INCLUDED


def included(store: Store, sheet_id: int) -> list[int]:
    """Return the ids of the annotators who are neither pending nor excluded on a sheet."""
    states = graders.annotator_states(store, sheet_id)
    everyone = graders.of_kind(store, "person")
    return [one.id for one in everyone if state_of(one, states) == INCLUDED]


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
                "“{name}” is {state} on this sheet. Include the annotator first: “annotators "
                "--include NAME”, or under Annotate, Progress.",
                name=person.name,
                state=state,
            )


# Of a row `p`: no later one of the same annotator.
_NEWEST = """not exists (select 1 from pauses later where later.grader_id = p.grader_id
    and later.id > p.id)"""


class Pause(NamedTuple):
    """A pause: since when, by whom, and why."""

    since: str
    by: str
    why: str


def pause(store: Store, grader_id: int, by: str, why: str = "") -> None:
    """Pause an annotator: the queues wait; a Problem where they wait already."""
    _set(store, grader_id, True, by, why)


def resume(store: Store, grader_id: int, by: str, why: str = "") -> None:
    """End the pause of an annotator; a Problem for one who is not paused."""
    _set(store, grader_id, False, by, why)


def pause_of(store: Store, grader_id: int) -> Pause | None:
    """Return the pause of an annotator; None for one who may grade."""
    row = store.row(
        f"""select p.created_at, p.given_by, p.why from pauses p where p.grader_id = ? and p.paused
        and {_NEWEST}""",
        (grader_id,),
    )
    return Pause(*row) if row else None


def paused_since(store: Store, grader_id: int) -> str | None:
    """Return since when an annotator is paused; None for one who may grade."""
    pause = pause_of(store, grader_id)
    return pause.since if pause else None


def _set(store: Store, grader_id: int, paused: bool, by: str, why: str) -> None:
    with store.write():
        if (pause_of(store, grader_id) is not None) == paused:
            name = store.value("select name from graders where id = ?", (grader_id,))
            raise Problem(
                "{name} is paused already." if paused else "{name} is not paused.", name=name
            )
        store.insert(
            "pauses",
            grader_id=grader_id,
            paused=int(paused),
            why=why.strip(),
            given_by=by,
            created_at=now(),
        )
