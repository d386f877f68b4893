"""The items of a sheet by question, as a combined judge deals them out and closes them."""

from typing import NamedTuple

from concord.judges.definition.combined import question_digest
from concord.model import Sheet
from concord.sampling import splits
from concord.sampling.leak_guard import Origin, families
from concord.store import items
from concord.store.database import Store


class SheetQuestions(NamedTuple):
    """The items of a sheet and the questions they answer; all are lists, one entry per item."""

    item_ids: list[int]
    origins: list[Origin]
    groups: list[str]
    held_out: list[bool]


def of_sheet(store: Store, sheet: Sheet) -> SheetQuestions:
    """Return the items of a sheet by question; each group is what the leak guard ties together."""
    rows = items.item_index(store, sheet.id)
    known = {row["id"]: row for row in items.question_index(store, sheet.id)}
    origins = [
        Origin(known[row["question_id"]]["text_hash"], known[row["question_id"]]["cluster"])
        for row in rows
    ]
    distinct = sorted({*origins}, key=lambda one: (one.text_hash, one.cluster or ""))
    # A family is named by the first of its questions, in an order that no import changes.
    names = [question_digest(*distinct[first]) for first in families(distinct)]
    group = dict(zip(distinct, names, strict=True))
    closed = splits.held_out(store, sheet.id)
    return SheetQuestions(
        [row["id"] for row in rows],
        origins,
        [group[one] for one in origins],
        [row["question_id"] in closed for row in rows],
    )
