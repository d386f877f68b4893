"""Verdicts on units from rows of grades: which unit a file means, and checks of a list itself.

A unit is meant by its text, its number or its id. A check is of one list: of the answer's lists
that a model made, the one with these very entries.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple
from uuid import uuid4

from concord.importing.grade_import import difference, named
from concord.importing.readers import cells as of_cell
from concord.importing.readers.cells import Cell
from concord.importing.scores import bad
from concord.model import BadRow, Grade
from concord.rubrics import list_check
from concord.rubrics.model import Rubric
from concord.store import graders
from concord.store.database import Store
from concord.store.grades import Press, record
from concord.store.units import list_checks
from concord.store.units.units import NEWEST
from concord.text.normal_form import normalised


class NamedUnit(NamedTuple):
    """A unit of an answer: its number counts from 1; `newest` is whether the newest list has it."""

    id: int
    text: str
    number: int
    newest: bool | int


def named_units(store: Store, sheet_id: int, kind: str) -> dict[int, list[NamedUnit]]:
    """Return every unit of a kind that a sheet ever had, by id of the items that have any."""
    rows = store.rows(
        "select u.item_id, u.id, u.text, u.position + 1 as number, exists (select 1 from"
        " decomposition_units p join decompositions d on d.id = p.decomposition_id"
        f" where p.unit_id = u.id and {NEWEST}) as newest"
        " from units u join items i on i.id = u.item_id"
        " where i.sheet_id = ? and u.kind = ? order by u.id",
        (sheet_id, kind),
    )
    found: dict[int, list[NamedUnit]] = defaultdict(list)
    for item_id, *unit in rows:
        found[item_id].append(NamedUnit(*unit))
    return dict(found)


def has(store: Store, sheet_id: int, rubric: Rubric) -> bool:
    """True where any answer of a sheet was decomposed into units of the rubric's kind."""
    return store.has(
        "select 1 from units u join items i on i.id = u.item_id"
        " where i.sheet_id = ? and u.kind = ? limit 1",
        (sheet_id, rubric.units),
    )


def unit_meant(
    known: Sequence[NamedUnit],
    cell: Cell,
    unit_id: int | None = None,
    number: int | None = None,
    row: int | None = None,
) -> int:
    """The id of the one unit that a row means.

    A text decides before an id does: ids are of one database, texts of the answer. Of several of
    one text its number, else its row in an export, tells it apart; of several others the newest
    list.

    Raises:
        BadCell: None is meant, or several are.
    """
    if not known:
        raise bad("no_units")
    whole = of_cell.text(cell)
    text, meant = whole.strip(), []
    if text:
        meant = [unit for unit in known if unit.text == whole]
        meant = meant or [unit for unit in known if normalised(unit.text) == normalised(text)]
        if meant and unit_id not in (None, *(unit.id for unit in meant)):
            raise bad("another_unit", id=unit_id, given=text)
        meant = meant or [unit for unit in known if str(unit.id) == text.lstrip("0")]
        meant = [unit for unit in meant if number in (None, unit.number)] or meant
        meant = [unit for unit in meant if unit.id in (unit_id, row)] or meant
    elif unit_id is not None:
        meant = [unit for unit in known if unit.id == unit_id]
    elif number is not None:
        meant = [unit for unit in known if unit.newest and unit.number == number]
    newest = [unit for unit in meant if unit.newest]
    for units in (meant, newest):
        if len(units) == 1:
            return units[0].id
    raise bad("several_units" if meant else "no_unit", given=text or str(unit_id or number or ""))


# The entries of a list `d`, one a line, as an export writes them.
ENTRIES = (
    "(select coalesce(group_concat(e.text, char(10)), '') from (select t.text from"
    " decomposition_units p join units t on t.id = p.unit_id where p.decomposition_id = d.id"
    " order by p.place) e)"
)
# The lists of an answer that models made, newest last: the id of each, and its entries.
StoredLists = Sequence[tuple[int, str]]


class ListCheck(NamedTuple):
    """One annotator's check of one list; `grade` has a label and no score."""

    item_id: int
    list_id: int
    kind: str
    grade: Grade


def of_sheet(store: Store, sheet_id: int, kind: str) -> dict[int, StoredLists]:
    """The lists of a kind that models made of a sheet's answers, by item id."""
    rows = store.rows(
        f"select d.item_id, d.id, {ENTRIES} as text from decompositions d"
        " join items i on i.id = d.item_id where i.sheet_id = ? and d.kind = ?"
        f" and {list_checks.IS_CHECKED} order by d.id",
        (sheet_id, kind),
    )
    found: dict[int, list[tuple[int, str]]] = defaultdict(list)
    for item_id, list_id, text in rows:
        found[item_id].append((list_id, text))
    return dict(found)


def list_meant(known: StoredLists, cell: Cell, row: int | None) -> int:
    """The id of the list with these entries; of several the one of the row's own id, else the last.

    Raises:
        BadCell: No list of the answer that a model made has these entries.
    """
    text = of_cell.text(cell)
    alike = [one for one, entries in known if normalised(entries) == normalised(text)]
    if not alike:
        raise bad("no_list", given=text)
    return row if row in alike else alike[-1]


def label(cell: Cell) -> str | None:
    """The label of a check as it is stored; None for an empty cell."""
    text = of_cell.text(cell).casefold()
    words = {part.strip() for part in text.split(",") if part.strip()}
    if not words <= {*list_check.ERRORS} and words != {list_check.RIGHT}:
        names = ", ".join([list_check.RIGHT, *list_check.ERRORS])
        raise bad("not_a_label", given=text, rubric="lists", names=names)
    return list_check.label(list_check.score(", ".join(words))) if words else None


def take(
    store: Store, checks: Iterable[ListCheck], replaces: bool
) -> tuple[Counter[str], list[BadRow]]:
    """Store checks that are new, and with `replaces` those that differ; inside `write()`.

    Returns:
        How many were `added`, `unchanged` and `replaced`, and the contradictions that are left.
    """
    done, conflicts = Counter(), []
    for item_id, list_id, kind, grade in checks:
        grader = named(store, "person", grade.grader)
        stored = list_checks.of_grader(store, grader.id, [list_id]) if grader else []
        before = next((row for row in stored if row["repeat"] == grade.repeat), None)
        if before and (before["status"], before["label"]) == (grade.status, grade.label):
            done["unchanged"] += 1
            continue
        if before and not replaces:
            conflicts.append(
                difference(grade, before["label"] or "nothing", grade.label or "nothing")
            )
            continue
        done["replaced" if before else "added"] += 1
        press = Press(
            item_id,
            list_checks.version(kind),
            graders.ensure(store, "person", grade.grader, simulated=grade.simulated),
            grade.status,
            press_id=uuid4().hex,
            **{name: getattr(grade, name) for name in _KEPT},
        )
        list_checks.begin(store, kind)
        record(store, [press])
        list_checks.keep(store, press.press_id, list_id)
    return done, conflicts


# What a check keeps of its grade beside its status.
_KEPT = ("reason", "seconds", "repeat", "blind", "label", "rubric_language")
