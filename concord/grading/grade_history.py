"""Grade history: one annotator's grades of some answers, and what an undo restores.

An undo is a row like any other: it holds the previous grade, or is withdrawn without one, and is
marked in `why`, so that a second undo goes further back instead of redoing.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from concord.grading.steps import Slot
from concord.rubrics import list_check
from concord.store.database import Row, Store, marks

UNDO = "undo"
_MOST_BEFORE = 20


class HistoryEntry(NamedTuple):
    """A grade by the annotator; `order` rises with time.

    `before` are the earlier grades of the same slot, oldest first, None for no grade.
    """

    order: int
    status: str
    score: float | None
    note: str
    quote: str = ""
    before: tuple["HistoryEntry | None", ...] = ()


def read(
    store: Store, grader_id: int, item_ids: Sequence[int]
) -> dict[tuple[int, int], dict[str, HistoryEntry]]:
    """An annotator's current grades of some answers, by item and repeat, then by slot."""
    rows = store.rows(
        "select g.id, g.item_id, g.unit_id, c.decomposition_id, g.version, g.repeat, g.status,"
        " g.score, g.label, g.reason, g.quote, g.why from grades g"
        " left join list_checks c on c.grade_id = g.id"
        f" where g.grader_id = ? and g.item_id in ({marks(item_ids)}) order by g.id",
        (grader_id, *item_ids),
    )
    chains: dict[tuple[int, int], dict[str, list[Row]]] = {}
    for row in rows:
        slot = Slot(row["version"], row["unit_id"], row["decomposition_id"]).text()
        chains.setdefault((row["item_id"], row["repeat"]), {}).setdefault(slot, []).append(row)
    return {
        place: {slot: last for slot, chain in slots.items() if (last := _last(chain))}
        for place, slots in chains.items()
    }


def _last(chain: Iterable[Row]) -> HistoryEntry | None:
    """Return the last grade of a chain, with the one an undo restores; None without a grade."""
    stood: list[HistoryEntry | None] = [None]
    for row in chain:
        now = None if row["status"] == "withdrawn" else _given(row)
        is_undo = row["why"] == UNDO and len(stood) > 1
        # Undoing pops the grade it undoes, so that undoing twice goes back two steps and not back
        # and forth.
        if is_undo:
            stood.pop()
        if not _is_same(stood[-1], now):
            stood.append(now)
        elif not is_undo:  # a note or evidence with the same grade
            stood[-1] = now
    return stood[-1] and stood[-1]._replace(before=tuple(stood[1:-1][-_MOST_BEFORE:]))


def _given(row: Row) -> HistoryEntry:
    score = row["score"]
    if row["decomposition_id"] is not None and row["label"] is not None:
        score = list_check.score(row["label"])
    return HistoryEntry(row["id"], row["status"], score, row["reason"], row["quote"])


def _is_same(one: HistoryEntry | None, other: HistoryEntry | None) -> bool:
    return (one and one[1:3]) == (other and other[1:3])
