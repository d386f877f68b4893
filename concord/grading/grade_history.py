"""Grade history: one annotator's grades of some answers, and what an undo restores.

An undo is a row like any other: it holds the previous grade, or is withdrawn without one, and is
marked in `why`, so that a second undo goes further back instead of redoing.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from concord.messages import said
from concord.rubrics import list_check
from concord.rubrics.model import Rubric
from concord.store.database import Row, Store, marks
from concord.store.units import list_checks, units
from concord.store.units.units import Decomposition
from concord.text import marked_passages
from concord.text.marked_passages import Passage

UNDO = "undo"
_MOST_BEFORE = 20
_LIST = "list"


class HistoryEntry(NamedTuple):
    """A grade by the annotator; `order` rises with time.

    `marked` are the passages marked as evidence; of an adjudication its cause. `before` are the
    earlier grades of the same slot, oldest first, None for no grade.
    """

    order: int
    status: str
    score: float | None
    note: str
    marked: tuple[Passage, ...] | str = ()
    before: tuple["HistoryEntry | None", ...] = ()


def read(
    store: Store, grader_id: int, item_ids: Sequence[int]
) -> dict[tuple[int, int], dict[str, HistoryEntry]]:
    """An annotator's current grades of some answers, by item and repeat, then by slot."""
    rows = store.rows(
        f"""select g.id, g.item_id, g.unit_id, c.decomposition_id, g.version, g.repeat, g.status,
        g.score, g.label, g.reason, g.quote, g.marked_passages, g.why from grades g
        left join list_checks c on c.grade_id = g.id
        where g.grader_id = ? and g.item_id in ({marks(item_ids)}) order by g.id""",
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
        elif not is_undo:  # a note with the same grade
            stood[-1] = now
    return stood[-1] and stood[-1]._replace(before=tuple(stood[1:-1][-_MOST_BEFORE:]))


def _given(row: Row) -> HistoryEntry:
    score = row["score"]
    if row["decomposition_id"] is not None and row["label"] is not None:
        score = list_check.score(row["label"])
    marked = marked_passages.of_grade(row["quote"], row["marked_passages"])
    return HistoryEntry(row["id"], row["status"], score, row["reason"], marked)


def _is_same(one: HistoryEntry | None, other: HistoryEntry | None) -> bool:
    """True where two grades have the same score and evidence; notes are not undone."""
    return (one and (*one[1:3], one.marked)) == (other and (*other[1:3], other.marked))


class Slot(NamedTuple):
    """Key of a grade; at most one of `unit_id` and `list_id` is set."""

    version: str
    unit_id: int | None = None
    list_id: int | None = None

    def text(self) -> str:
        """The slot as the screen and the browser hold it; `slot` reads it back."""
        if self.list_id is not None:
            return f"{self.version}/{_LIST}/{self.list_id}"
        return self.version if self.unit_id is None else f"{self.version}/{self.unit_id}"


def slot(text: str) -> Slot:
    """Read a slot that the browser sent; one it never had names no version that counts."""
    version, *rest = text.split("/")
    if len(rest) == 1 and _is_id(rest[0]):
        return Slot(version, unit_id=int(rest[0]))
    if len(rest) == 2 and rest[0] == _LIST and _is_id(rest[1]):
        return Slot(version, list_id=int(rest[1]))
    return Slot(version if not rest else text)


def _is_id(text: str) -> bool:
    """True for a text that can be a row id."""
    return text.isdecimal() and len(text) < 19


class Step(NamedTuple):
    """One unit with its own position, or the list itself: no text, and position -1."""

    slot: str
    text: str
    position: int


class Steps(NamedTuple):
    """The steps of some answers by item id, and each answer's list."""

    of_item: dict[int, list[Step]]
    lists: dict[int, Decomposition]


def of_items(store: Store, rubric: Rubric, item_ids: Sequence[int]) -> Steps:
    """The units of the newest lists, in their order, and last the list where a model made it."""
    [version] = rubric.versions().values()
    lists = units.current(store, list(item_ids), rubric.units)
    checked = list_checks.made_by_model(store, [one.id for one in lists.values()])
    check = list_checks.version(rubric.units)
    found = {}
    for item_id, one in lists.items():
        found[item_id] = [
            Step(Slot(version, unit.id).text(), unit.text, unit.position) for unit in one.units
        ]
        if one.id in checked:
            found[item_id].append(Step(Slot(check, list_id=one.id).text(), "", -1))
    return Steps(found, lists)


def why_not_gradable(store: Store, item_id: int, slot: Slot, rubric: Rubric) -> str:
    """Return why a grade of a unit or a list can never be saved; '' where it can."""
    if slot.list_id is not None:
        is_there = list_checks.is_of(store, slot.list_id, item_id, rubric.units)
        known = slot.version == list_checks.version(rubric.units)
    else:
        is_there = units.is_of(store, slot.unit_id, item_id, rubric.units)
        known = slot.version in rubric.versions().values()
    if not is_there:
        return said("it is not of this answer's {units}", units=said(rubric.plural))
    return "" if known else said("its criterion is not in the rubric of this set")
