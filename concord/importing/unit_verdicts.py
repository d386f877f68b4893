"""Verdicts on units from rows of grades: which unit a file means, and checks of a list itself.

A unit is meant by its text, its number or its id. A check is of one list: of the answer's lists
that a model made, the one with these very entries.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple
from uuid import uuid4

from concord.importing.fields import folded
from concord.importing.grade_import import named
from concord.importing.readers import cells as of_cell
from concord.importing.readers.cells import BadCell, Cell
from concord.messages import counted, quoted, said
from concord.model import Grade
from concord.rubrics import list_check
from concord.rubrics.model import Rubric, of_units
from concord.store import graders
from concord.store.additions import Difference
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


class UnitReference(NamedTuple):
    """Reference to a unit in a file; `row` is its id in an export, of this database or another."""

    text: str = ""
    id: int | None = None
    number: int | None = None
    row: int | None = None


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
    found: dict[int, list[NamedUnit]] = {}
    for item_id, *unit in rows:
        found.setdefault(item_id, []).append(NamedUnit(*unit))
    return found


def has(store: Store, sheet_id: int, rubric: Rubric) -> bool:
    """True where any answer of a sheet was decomposed into units of the rubric's kind."""
    return store.has(
        "select 1 from units u join items i on i.id = u.item_id"
        " where i.sheet_id = ? and u.kind = ? limit 1",
        (sheet_id, rubric.units),
    )


def unit_meant(known: Sequence[NamedUnit], written: UnitReference, rubric: Rubric) -> int:
    """The id of the one unit that a row means.

    A text decides before an id does: ids are of one database, texts of the answer. Of several of
    one text its number, else its row, tells it apart; of several others the newest list.

    Raises:
        BadCell: None is meant, or several are; its `column` is the field at fault.
    """
    plural, text = said(rubric.plural), written.text.strip()
    if not known:
        raise BadCell(
            "this answer has no {units}, or has not been split into them. Run a metric judge that "
            "needs them, then import again. From an export, `grades` also imports the lists if "
            "unit_grades.csv is still in the folder of the export.",
            "unit",
            units=plural,
            fault_code="no_units",
        )
    meant, column, words = [], "unit", quoted([of_cell.excerpt(text)])
    if text:
        meant = [unit for unit in known if unit.text == written.text]
        meant = meant or [unit for unit in known if normalised(unit.text) == normalised(text)]
        if not meant and text.isdecimal():
            meant = [unit for unit in known if str(unit.id) == text.lstrip("0")]
        elif meant and written.id not in (None, *(unit.id for unit in meant)):
            raise BadCell(
                "unit {id} does not have the text “{text}”. Correct one of the two.",
                "unit_id",
                id=written.id,
                text=of_cell.excerpt(text),
                fault_code="another_unit",
            )
        meant = [unit for unit in meant if written.number in (None, unit.number)] or meant
        meant = [unit for unit in meant if unit.id in (written.id, written.row)] or meant
    elif written.id is not None:
        column, words = "unit_id", str(written.id)
        meant = [unit for unit in known if unit.id == written.id]
    elif written.number is not None:
        column, words = "unit_number", said("number {n}", n=written.number)
        meant = [unit for unit in known if unit.newest and unit.number == written.number]
    newest = [unit for unit in meant if unit.newest]
    for units in (meant, newest):
        if len(units) == 1:
            return units[0].id
    raise BadCell(
        "{words} matches {count} of the answer's {units}. Name one by its text, as in `units.csv` "
        "of an export, its unit_number or its unit_id.",
        "unit" if meant else column,
        words=words,
        count=len(newest or meant),
        units=plural,
        fault_code="several_units" if meant else "no_unit",
    )


def spoken() -> set[str]:
    """Return every criterion of units and of unit lists, normalised as cells are compared."""
    names = (name for r in of_units().values() for name in (r.criteria[0].name, f"{r.units}_list"))
    return {folded(name) for name in names}


def skipped_rubric_notes(elsewhere: Mapping[str, int]) -> list[str]:
    """A sentence for each criterion or version whose rows were left, with what takes them in."""
    names = {folded(rubric.criteria[0].name): name for name, rubric in of_units().items()}
    return [
        said(
            "{rows} of {criterion} not imported: import their contents under rubric {rubric}.",
            rows=counted(count, "row"),
            criterion=criterion,
            rubric=names.get(folded(criterion)) or said("of that criterion or wording (--rubric)"),
        )
        for criterion, count in elsewhere.items()
    ]


# The entries of a list `d`, one a line, as an export writes them.
ENTRIES = (
    "(select coalesce(group_concat(e.text, char(10)), '') from (select t.text from"
    " decomposition_units p join units t on t.id = p.unit_id where p.decomposition_id = d.id"
    " order by p.place) e)"
)


# What a check keeps of its grade beside its status.
_KEPT = ("reason", "seconds", "repeat", "blind", "label", "rubric_language")


class StoredList(NamedTuple):
    """A list that a model made, its entries one a line."""

    id: int
    text: str


class ListCheck(NamedTuple):
    """One annotator's check of one list; `grade` has a label and no score."""

    item_id: int
    list_id: int
    kind: str
    grade: Grade


class CheckCounts(NamedTuple):
    """Number of checks added, already present and replaced, and contradictions with the store."""

    added: int
    unchanged: int
    replaced: int
    conflicts: list[Difference]


def of_sheet(store: Store, sheet_id: int, kind: str) -> dict[int, list[StoredList]]:
    """The lists of a kind that models made of a sheet's answers, by item id, newest last."""
    rows = store.rows(
        f"select d.item_id, d.id, {ENTRIES} as text from decompositions d"
        " join items i on i.id = d.item_id where i.sheet_id = ? and d.kind = ?"
        f" and {list_checks.IS_CHECKED} order by d.id",
        (sheet_id, kind),
    )
    found: dict[int, list[StoredList]] = {}
    for item_id, *one in rows:
        found.setdefault(item_id, []).append(StoredList(*one))
    return found


def list_meant(known: Sequence[StoredList], cell: Cell, row: int | None) -> int:
    """The id of the list with these entries; of several the one of the row's own id, else the last.

    Raises:
        BadCell: No list of the answer that a model made has these entries.
    """
    text = of_cell.text(cell)
    alike = [one.id for one in known if normalised(one.text) == normalised(text)]
    if not alike:
        raise BadCell(
            "no list extracted from this answer has the entries “{text}”. Write its entries one "
            "per line, as in an export, or remove the row.",
            text=of_cell.excerpt(text),
            fault_code="no_list",
        )
    return row if row in alike else alike[-1]


def label(cell: Cell) -> str | None:
    """The label of a check as it is stored; None for an empty cell."""
    written = of_cell.text(cell)
    words = [part.strip() for part in written.casefold().split(",") if part.strip()]
    known = list_check.label(list_check.score(", ".join(words))) if words else ""
    if {*known.split(", ")} != {*(words or [""])}:
        raise BadCell(
            "“{text}” is not a judgement of a list. Use: {listed}.",
            text=of_cell.excerpt(written),
            listed=", ".join([list_check.RIGHT, *list_check.ERRORS]),
            fault_code="not_a_label",
        )
    return known or None


def take(store: Store, checks: Iterable[ListCheck], replaces: bool) -> CheckCounts:
    """Store checks that are new, and with `replaces` those that differ; inside `write()`."""
    added = unchanged = 0
    conflicts = []
    for check in checks:
        grade = check.grade
        # Of the same annotator on the same list.
        grader = named(store, "person", grade.grader)
        there = list_checks.of_grader(store, grader.id, [check.list_id]) if grader else []
        before = [row for row in there if row["repeat"] == grade.repeat][:1]
        if before and (before[0]["status"], before[0]["label"]) == (grade.status, grade.label):
            unchanged += 1
            continue
        if before:
            problem = said(
                "{grader} graded {criterion} with {before} in the database and {here} in the file.",
                grader=grade.grader,
                criterion=grade.criterion,
                before=before[0]["label"] or said("nothing"),
                here=grade.label or said("nothing"),
                fault_code="another_grade",
            )
            conflicts.append(Difference(grade.row, grade.column or "label", problem))
        added += not before
        if not before or replaces:
            press = Press(
                check.item_id,
                list_checks.version(check.kind),
                graders.ensure(store, "person", grade.grader, simulated=grade.simulated),
                grade.status,
                press_id=uuid4().hex,
                **{name: getattr(grade, name) for name in _KEPT},
            )
            list_checks.begin(store, check.kind)
            record(store, [press])
            list_checks.keep(store, press.press_id, check.list_id)
    replaced = len(conflicts) if replaces else 0
    return CheckCounts(added, unchanged, replaced, [] if replaces else conflicts)
