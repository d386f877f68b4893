"""Batches: requests handed to a provider's batch API, and those still unanswered.

A batch is open from the moment it is stored, before anything is sent, until its results are in.
While it is open its unanswered requests are in flight, and no other run sends them.
"""

import json
from collections.abc import Collection, Iterable
from typing import Any, NamedTuple

from concord.clock import now
from concord.store.database import Row, Store, marks

UNSENT = "unsent"


class Question(NamedTuple):
    """One line of a batch; `custom_id` names it there, `request` is its body as JSON."""

    custom_id: str
    content_hash: str
    part: str
    repeat: int
    request: str


class Batch(NamedTuple):
    """One batch as stored; `told`: the provider's latest status report."""

    id: int
    sheet_id: int
    grader_id: int
    rubric_id: int
    token: str
    scope: dict[str, Any]
    estimate: dict[str, Any]
    budget: float | None
    questions: int
    file_id: str | None
    remote_id: str | None
    status: str
    told: dict[str, Any]
    message: str
    created_at: str
    asked_at: str
    closed_at: str | None


def add(
    store: Store,
    grader_id: int,
    sheet_id: int,
    rubric_id: int,
    token: str,
    scope: dict[str, Any],
    estimate: dict[str, Any],
    budget: float | None,
    questions: list[Question],
) -> int:
    """Store a batch that is about to be sent; returns its id. Inside `write()`."""
    batch_id = store.insert(
        "batches",
        grader_id=grader_id,
        sheet_id=sheet_id,
        rubric_id=rubric_id,
        token=token,
        scope=json.dumps(scope),
        estimate=json.dumps(estimate),
        budget=budget,
        questions=len(questions),
        status=UNSENT,
        created_at=now(),
        asked_at=now(),
    )
    # Each request is stored as sent, since the judge file may change before the results arrive.
    rows = ((batch_id, *question) for question in questions)
    store.insert_many("batch_questions", ("batch_id", *Question._fields), rows)
    return batch_id


def get(store: Store, batch_id: int) -> Batch | None:
    """The batch of that id; None where it is gone, as with its sheet."""
    row = store.row("select * from batches where id = ?", (batch_id,))
    return _batch(row) if row else None


def pending(store: Store, sheet_id: int, grader_id: int) -> list[Batch]:
    """The open batches of a judge over a sheet, oldest first."""
    rows = store.rows(
        """select * from batches where sheet_id = ? and grader_id = ? and closed_at is null
        order by id""",
        (sheet_id, grader_id),
    )
    return [_batch(row) for row in rows]


def in_flight(store: Store, grader_ids: Collection[int]) -> set[tuple[str, str, int]]:
    """Return judges' unanswered batch requests over all sheets: (content hash, part, repeat)."""
    rows = store.rows(
        f"""select q.content_hash, q.part, q.repeat from batch_questions q
        join batches b on b.id = q.batch_id where b.grader_id in ({marks(grader_ids)})
        and b.closed_at is null""",
        (*grader_ids,),
    )
    return set(map(tuple, rows))


def unanswered_requests(store: Store, batch_id: int) -> list[tuple[str, str, str, int]]:
    """Return a batch's unanswered requests: (custom id, content hash, part, repeat)."""
    rows = store.rows(
        "select custom_id, content_hash, part, repeat from batch_questions where batch_id = ?",
        (batch_id,),
    )
    return [tuple(row) for row in rows]


def request(store: Store, batch_id: int, custom_id: str) -> str:
    """The body of one question as it was sent."""
    return store.value(
        "select request from batch_questions where batch_id = ? and custom_id = ?",
        (batch_id, custom_id),
    )


def requests(store: Store, batch_id: int) -> list[tuple[str, str]]:
    """Return the requests to send: (custom id, body as JSON)."""
    rows = store.rows(
        "select custom_id, request from batch_questions where batch_id = ?", (batch_id,)
    )
    return [tuple(row) for row in rows]


def mark_received(store: Store, batch_id: int, custom_ids: Iterable[str]) -> None:
    """Delete these from the unanswered requests; inside the `write()` that stores their replies."""
    for custom_id in custom_ids:
        store.execute(
            "delete from batch_questions where batch_id = ? and custom_id = ?",
            (batch_id, custom_id),
        )


def note_file(store: Store, batch_id: int, file_id: str) -> None:
    """Record the provider's id of the uploaded file."""
    with store.write():
        store.execute("update batches set file_id = ? where id = ?", (file_id, batch_id))


def note_status(store: Store, batch_id: int, remote_id: str, status: str, told: dict) -> None:
    """Store the provider's status report of a batch; `remote_id` is the provider's id of it."""
    with store.write():
        store.execute(
            "update batches set remote_id = ?, status = ?, told = ?, asked_at = ? where id = ?",
            (remote_id, status, json.dumps(told), now(), batch_id),
        )


def close(store: Store, batch_id: int, status: str, message: str = "") -> None:
    """Close a batch: its unanswered requests may be sent by other runs again."""
    with store.write():
        store.execute("delete from batch_questions where batch_id = ?", (batch_id,))
        store.execute(
            "update batches set status = ?, message = ?, closed_at = ? where id = ?",
            (status, message, now(), batch_id),
        )


def _batch(row: Row) -> Batch:
    fields = {name: row[name] for name in Batch._fields}
    for name in ("scope", "estimate", "told"):
        fields[name] = json.loads(fields[name])
    return Batch(**fields)
