"""Unit names: which unit of an answer a file means, by its text, its number or its id."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from concord.importing.fields import folded
from concord.importing.readers import cells as of_cell
from concord.importing.readers.cells import BadCell
from concord.messages import counted, quoted, said
from concord.rubrics.model import Rubric, of_units
from concord.store.database import Store
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


def of_sheet(store: Store, sheet_id: int, kind: str) -> dict[int, list[NamedUnit]]:
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


def meant(known: Sequence[NamedUnit], written: UnitReference, rubric: Rubric) -> int:
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
