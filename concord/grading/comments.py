"""Comments on answers of a grading set, as annotators and leads write them; rows are only added.

Those of the training round are visible to everyone who has graded the answer. A flag for the lead,
the lead's replies and a corrected answer belong to one annotator, and no other annotator reads
them: they may tell a grade. They belong to one place too, since a hidden repeat must not be
recognised by what was written on the first.
"""

from collections.abc import Sequence
from typing import NamedTuple

from concord.clock import now
from concord.messages import Problem
from concord.store.database import Row, Store, marks

TRAINING, FLAG, REPLY, CORRECTION = "training", "flag", "reply", "correction"


class At(NamedTuple):
    """What is commented on: an answer in a set, and whose it is; `repeat` 2 for a hidden repeat."""

    set_id: int
    item_id: int
    grader_id: int | None
    repeat: int = 1


class Remark(NamedTuple):
    """A flag for the lead, or a reply to it."""

    kind: str
    said_by: str
    text: str


class Own(NamedTuple):
    """An annotator's notes on an answer: flags with the lead's replies, and a correction."""

    thread: tuple[Remark, ...] = ()
    correction: str = ""


class Answered(NamedTuple):
    """A place with a lead's reply, and the number of the newest one."""

    place_id: int
    reply: int


def add(
    store: Store, kind: str, at: At, said_by: str, text: str, press_id: str | None = None
) -> None:
    """Add a comment; one that was sent before, or has no text, is added once or not at all.

    A correction without text withdraws the one before.
    """
    text = text.strip()
    with store.write():
        sent = press_id and store.value("select 1 from comments where press_id = ?", (press_id,))
        if sent or not (text or kind == CORRECTION):
            return
        given = {"kind": kind, "said_by": said_by, "text": text, "press_id": press_id}
        store.insert("comments", **at._asdict(), **given, created_at=now())


def reply(store: Store, at: At, by: str, text: str) -> None:
    """Answer an annotator's flag; a Problem without a text or a flag."""
    store.must_lead()
    if not text.strip():
        raise Problem("Write the reply first.")
    flagged = "select 1 from comments where (set_id, item_id, grader_id, repeat, kind)"
    if not store.value(f"{flagged} = (?, ?, ?, ?, ?)", (*at, FLAG)):
        raise Problem("This flag was removed together with its answer or set.")
    add(store, REPLY, at, by, text)


def of_annotator(
    store: Store, set_id: int, grader_id: int, item_ids: Sequence[int]
) -> dict[tuple[int, int], Own]:
    """Return an annotator's flags, replies to them and corrections, by answer and repeat."""
    found: dict[tuple[int, int], Own] = {}
    for row in store.rows(
        f"""select item_id, repeat, kind, said_by, text from comments where set_id = ?
        and grader_id = ? and kind <> '{TRAINING}' and item_id in ({marks(item_ids)})
        order by id""",
        (set_id, grader_id, *item_ids),
    ):
        key = row["item_id"], row["repeat"]
        own = found.get(key, Own())
        if row["kind"] == CORRECTION:
            found[key] = own._replace(correction=row["text"])
        else:
            remark = Remark(row["kind"], row["said_by"], row["text"])
            found[key] = own._replace(thread=(*own.thread, remark))
    return found


def of_sheet(store: Store, sheet_id: int) -> list[Row]:
    """Return every flag and reply in the sets of a sheet, oldest first.

    Rows of set_id, item_id, grader_id, repeat, kind, said_by, text, created_at, set_name and the
    annotator's name.
    """
    return store.rows(
        """select c.set_id, c.item_id, c.grader_id, c.repeat, c.kind, c.said_by, c.text,
        c.created_at, s.name as set_name, r.name from comments c
        join grading_sets s on s.id = c.set_id join graders o on o.id = c.grader_id
        join graders r on r.id = coalesce(o.merged_into, o.id)
        where s.sheet_id = ? and c.kind in (?, ?) order by c.id""",
        (sheet_id, FLAG, REPLY),
    )


def answered(store: Store, set_id: int, grader_id: int) -> list[Answered]:
    """Return the places of an annotator's queue where a lead replied."""
    rows = store.rows(
        f"""select a.id, max(c.id) from comments c join assignments a on a.set_id = c.set_id
        and a.item_id = c.item_id and a.grader_id = c.grader_id and a.repeat = c.repeat
        where c.set_id = ? and c.grader_id = ? and c.kind = '{REPLY}' group by a.id""",
        (set_id, grader_id),
    )
    return [Answered(*row) for row in rows]
