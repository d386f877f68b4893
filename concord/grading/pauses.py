"""Pauses: annotators whose queues wait until a lead resumes them.

Append-only: the newest row of an annotator decides. Grades already given stay and count; nothing is
reassigned.
"""

from typing import NamedTuple

from concord.clock import now
from concord.messages import Problem, said
from concord.store.database import Store

# Of a row `p`: no later one of the same annotator.
_NEWEST = (
    "not exists (select 1 from pauses later where later.grader_id = p.grader_id"
    " and later.id > p.id)"
)
PAUSED = said(
    "A lead has paused your grading. Your grades are saved. Ask the lead how to continue."
)


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


def of(store: Store, grader_id: int) -> Pause | None:
    """Return the pause of an annotator; None for one who may grade."""
    row = store.row(
        "select p.created_at, p.given_by, p.why from pauses p where p.grader_id = ? and p.paused"
        f" and {_NEWEST}",
        (grader_id,),
    )
    return Pause(*row) if row else None


def since(store: Store, grader_id: int) -> str | None:
    """Return since when an annotator is paused; None for one who may grade."""
    pause = of(store, grader_id)
    return pause.since if pause else None


def _set(store: Store, grader_id: int, paused: bool, by: str, why: str) -> None:
    with store.write():
        if (of(store, grader_id) is not None) == paused:
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
