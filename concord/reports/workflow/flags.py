"""Flags: what annotators ask the lead about an answer, and the lead's replies."""

from collections.abc import Sequence
from dataclasses import dataclass

from concord.grading import comments
from concord.grading.comments import FLAG, At, Remark
from concord.messages import counted, day
from concord.reports.document import Document, table_of
from concord.store import items
from concord.store.database import Row, Store

_LONGEST = 200  # characters of a text in the table


@dataclass(frozen=True)
class Flag:
    """The thread of one annotator on one answer.

    Attributes:
        at: The answer in its set, and the annotator.
        item: What the answer is called.
        annotator: Who flagged it.
        flagged_at: When it was last flagged, UTC.
        replied: A lead replied to the newest flag.
        thread: Flags and replies, oldest first.
    """

    at: At
    item: str
    set: str
    annotator: str
    flagged_at: str
    replied: bool
    thread: tuple[Remark, ...]


def of_sheet(store: Store, sheet_id: int) -> list[Flag]:
    """Return the flags of a sheet's sets, open ones first, then the newest."""
    rows = comments.of_sheet(store, sheet_id)
    names = items.names_of(store, sheet_id, [row["item_id"] for row in rows])
    threads: dict[At, list[Row]] = {}
    for row in rows:
        threads.setdefault(At(*row[:4]), []).append(row)
    found = [
        Flag(
            at,
            names[at.item_id],
            rows[0]["set_name"],
            rows[0]["name"],
            max(row["created_at"] for row in rows if row["kind"] == FLAG),
            rows[-1]["kind"] != FLAG,
            tuple(Remark(*row[4:7]) for row in rows),
        )
        for at, rows in threads.items()
    ]
    found.sort(key=lambda flag: flag.flagged_at, reverse=True)
    return sorted(found, key=lambda flag: flag.replied)


def document(found: Sequence[Flag]) -> Document:
    """Return the list of flags."""
    parts = [
        ("State", lambda one: "replied" if one.replied else "open"),
        ("Annotator", "annotator"),
        ("Flag", _newest),
        ("Item", "item"),
        ("Set", "set"),
        ("Day", lambda one: day(one.flagged_at)),
    ]
    waiting = sum(not one.replied for one in found)
    headline = counted(waiting, "flag without a reply", "flags without a reply")
    table = table_of("flags", found, parts)
    return Document(headline if waiting else "All flags have a reply", tables=(table,))


def _newest(flag: Flag) -> str:
    return next(one.text for one in reversed(flag.thread) if one.kind == FLAG)[:_LONGEST]
