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
from concord.importing.readers.cells import BadCell
from concord.messages import counted, joined, quoted, said
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
    newest: bool


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
    for item_id, unit_id, text, number, newest in rows:
        found.setdefault(item_id, []).append(NamedUnit(unit_id, text, number, bool(newest)))
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

    A text decides before an id does: ids are of one database, texts of the answer.

    Raises:
        BadCell: None is meant, or several are; its `column` is the field at fault.
    """
    if not known:
        raise BadCell(
            "this answer has no {units}, or has not been split into them. Run a metric judge that "
            "needs them, then import again. From an export, `grades` also imports the lists if "
            "unit_grades.csv is still in the folder of the export.",
            "unit",
            units=said(rubric.plural),
            fault_code="no_units",
        )
    if written.text.strip():
        return _by_text(known, written, rubric).id
    if written.id is not None:
        return _by_id(known, written.id, rubric).id
    if written.number is not None:
        words = said("number {n}", n=written.number)
        return _only(_numbered(known, written.number, rubric), words, rubric).id
    raise BadCell(
        "the row does not name one of the answer's {units}. Give its text or its id.",
        "unit",
        units=said(rubric.plural),
        fault_code="no_unit",
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
            "{rows} of {criterion} not imported: import their contents under rubric {rubric}."
            if folded(criterion) in names
            else "{rows} of {criterion} not imported: the command `grades` imports the list "
            "together with verdicts on its units."
            if folded(criterion) in spoken()
            else "{rows} of criterion version {criterion} not imported: name the rubric file of "
            "that wording with --rubric to import them.",
            rows=counted(count, "row"),
            criterion=criterion,
            rubric=names.get(folded(criterion)),
        )
        for criterion, count in elsewhere.items()
    ]


def _by_text(known: Sequence[NamedUnit], written: UnitReference, rubric: Rubric) -> NamedUnit:
    """The unit of that text; among several of one text its number, else its row, tells it apart."""
    exact = [unit for unit in known if unit.text == written.text]
    alike = exact or [unit for unit in known if normalised(unit.text) == normalised(written.text)]
    if not alike and written.text.strip().isdecimal() and len(written.text.strip()) < 19:
        return _by_id(known, int(written.text), rubric, "unit")
    if not alike:
        raise BadCell(
            "none of the answer's {units} has the text “{text}”. Write it as in `units.csv` of an "
            "export, or give its id there.",
            "unit",
            units=said(rubric.plural),
            text=of_cell.excerpt(written.text),
            fault_code="no_unit",
        )
    if written.id is not None and written.id not in {unit.id for unit in alike}:
        raise BadCell(
            "unit {id} does not have the text “{text}”. Correct one of the two.",
            "unit_id",
            id=written.id,
            text=of_cell.excerpt(written.text),
            fault_code="another_unit",
        )
    numbered = [unit for unit in alike if written.number in (None, unit.number)] or alike
    rowed = [unit for unit in numbered if unit.id in (written.id, written.row)] or numbered
    return _only(rowed, quoted([of_cell.excerpt(written.text)]), rubric)


def _by_id(
    known: Sequence[NamedUnit], unit_id: int, rubric: Rubric, field: str = "unit_id"
) -> NamedUnit:
    for unit in known:
        if unit.id == unit_id:
            return unit
    raise BadCell(
        "unit {unit_id} is not one of the answer's {plural}. Correct the id, or give the text.",
        field,
        unit_id=unit_id,
        plural=said(rubric.plural),
        fault_code="no_unit",
    )


def _numbered(known: Sequence[NamedUnit], number: int, rubric: Rubric) -> list[NamedUnit]:
    found = [unit for unit in known if unit.newest and unit.number == number]
    if not found:
        raise BadCell(
            "the answer has no number {number} among its {plural}. Correct the number, or give "
            "the text.",
            "unit_number",
            number=number,
            plural=said(rubric.plural),
            fault_code="no_unit",
        )
    return found


def _only(found: Sequence[NamedUnit], words: str, rubric: Rubric) -> NamedUnit:
    """The only one, or the only one of the newest list."""
    newest = [unit for unit in found if unit.newest]
    for units in (found, newest):
        if len(units) == 1:
            return units[0]
    raise BadCell(
        "{words} matches {count} of the answer's {plural}. Name one by its unit_number or unit_id.",
        "unit",
        words=words,
        count=len(newest or found),
        plural=said(rubric.plural),
        fault_code="several_units",
    )


# The entries of a list `d`, one a line, as an export writes them.
ENTRIES = (
    "(select coalesce(group_concat(e.text, char(10)), '') from (select t.text from"
    " decomposition_units p join units t on t.id = p.unit_id where p.decomposition_id = d.id"
    " order by p.place) e)"
)


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
    for item_id, list_id, text in rows:
        found.setdefault(item_id, []).append(StoredList(list_id, text))
    return found


def meant(known: Sequence[StoredList], text: str, row: int | None) -> int:
    """The id of the list with these entries; of several the one of the row's own id, else the last.

    Raises:
        BadCell: No list of the answer that a model made has these entries.
    """
    alike = [one.id for one in known if normalised(one.text) == normalised(text)]
    if not alike:
        raise BadCell(
            "no list extracted from this answer has the entries “{text}”. Write its entries one "
            "per line, as in an export, or remove the row.",
            "unit",
            text=of_cell.excerpt(text),
            fault_code="no_list",
        )
    return row if row in alike else alike[-1]


def label(written: str) -> str | None:
    """The label of a check as it is stored; None for an empty cell."""
    words = [part.strip() for part in written.casefold().split(",") if part.strip()]
    if not words:
        return None
    known = list_check.label(list_check.score(", ".join(words)))
    if sorted(known.split(", ")) != sorted(words):
        # The words of files are English in every language, so they are not messages.
        listed = joined(", ", map(str.__str__, [list_check.RIGHT, *list_check.ERRORS]))
        raise BadCell(
            "“{text}” is not a judgement of a list. Use: {listed}.",
            "label",
            text=of_cell.excerpt(written),
            listed=listed,
            fault_code="not_a_label",
        )
    return known


def take(store: Store, checks: Iterable[ListCheck], replaces: bool) -> CheckCounts:
    """Store checks that are new, and with `replaces` those that differ; inside `write()`."""
    added = unchanged = 0
    conflicts = []
    for check in checks:
        before = _before(store, check)
        if before == (check.grade.status, check.grade.label):
            unchanged += 1
            continue
        if before is None:
            added += 1
        else:
            conflicts.append(_difference(check, before[1]))
        if before is None or replaces:
            _keep(store, check)
    replaced = len(conflicts) if replaces else 0
    return CheckCounts(added, unchanged, replaced, [] if replaces else conflicts)


def _before(store: Store, check: ListCheck) -> tuple[str, str | None] | None:
    """Return status and label of the same annotator's check of the current list."""
    grader = named(store, "person", check.grade.grader)
    found = list_checks.of_grader(store, grader.id, [check.list_id]) if grader else []
    mine = (row for row in found if row["repeat"] == check.grade.repeat)
    return next(((row["status"], row["label"]) for row in mine), None)


def _difference(check: ListCheck, before: str | None) -> Difference:
    grade = check.grade
    problem = said(
        "{grader} graded {criterion} with {before} in the database and {here} in the file.",
        grader=grade.grader,
        criterion=grade.criterion,
        before=before or said("nothing"),
        here=grade.label or said("nothing"),
        fault_code="another_grade",
    )
    return Difference(grade.row, grade.column or "label", problem)


def _keep(store: Store, check: ListCheck) -> None:
    grade, press_id = check.grade, uuid4().hex
    list_checks.begin(store, check.kind)
    press = Press(
        check.item_id,
        list_checks.version(check.kind),
        graders.ensure(store, "person", grade.grader, simulated=grade.simulated),
        grade.status,
        reason=grade.reason,
        seconds=grade.seconds,
        repeat=grade.repeat,
        blind=grade.blind,
        press_id=press_id,
        label=grade.label,
        rubric_language=grade.rubric_language,
    )
    record(store, [press])
    list_checks.keep(store, press_id, check.list_id)
