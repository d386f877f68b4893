"""Import of returned packages: recognise them by their row codes, check them, store the grades."""

import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

from concord.grading import campaigns, grading_sets
from concord.grading.offline import check, packages, platforms, returned_rows
from concord.grading.offline.check import PackageContents, PackSheet
from concord.grading.offline.package_columns import ANSWERS, CODE, HEADINGS, Pack
from concord.importing import sheet_import
from concord.importing.readers.table import Table
from concord.importing.sheet_import import Intake
from concord.messages import Problem
from concord.model import Sheet
from concord.rubrics.model import Rubric
from concord.store import graders, sheets
from concord.store.database import Store

_CODE = re.compile("[a-z2-7]{8}-[a-z2-7]{16}", re.IGNORECASE)
_FIRST = 20  # records that are looked at for row codes without a heading


class Coming(NamedTuple):
    """A file that is a pack, read and checked: of which sheet and under which rubric."""

    sheet: Sheet
    rubric: Rubric
    read: PackSheet


def table_of(table: Table, again: Callable[[str], Table]) -> Table | None:
    """Return the table of a file that is a package, on whichever worksheet; None for other files.

    `again` opens another worksheet of it.

    Raises:
        Problem: There are row codes, but no heading for them.
    """
    table = table.with_objects()
    others = sorted(set(table.worksheets) - {table.worksheet}, key=lambda name: name != ANSWERS)
    opened = [table]
    for name in others if not _is_pack(table) else ():
        with suppress(Problem):  # an empty worksheet is no pack
            opened.append(again(name))
    found = next((one for one in opened if _is_pack(one)), None)
    if found is None and any(map(_has_codes, opened)):
        raise Problem(
            "{file} contains row codes of a package, but has no column “{column}”. Restore the "
            "original names of the columns.",
            file=table.source.name,
            column=HEADINGS[CODE],
        )
    return found


def read(store: Store, table: Table, who: Mapping[str, str]) -> Coming:
    """Read and check a pack that came back, in a table from `table_of`.

    `who` are the names of annotators by what a platform's export knows them as.

    Raises:
        Problem: No pack of this database is in the file, or packs of several sets.
    """
    kind = _kind(table)
    is_sheet = kind == returned_rows.SHEET
    codes = list(returned_rows.codes(table) if is_sheet else platforms.codes(table, kind))
    # By row codes and not by file name, which annotators change.
    held = packages.of_codes(store, codes)
    known = {
        token: PackageContents(pack, packages.rows_by_code(store, pack), _before(store, pack))
        for token, pack in held.items()
    }
    mine = check.main_packs(codes, known, several=not is_sheet)
    if not mine:
        raise Problem(
            "{file} has row codes, but of no package created in this database. Import it where it "
            "was exported.",
            file=table.source.name,
        )
    if len({one.pack.set_id for one in mine}) > 1:
        raise Problem(
            "{file} contains packages of several grading sets. Export each set separately.",
            file=table.source.name,
        )
    rubric = packages.rubric_of(store, mine[0].pack)
    sheet_id = grading_sets.get(store, mine[0].pack.set_id).sheet_id
    back = returned_rows.read(table, rubric) if is_sheet else platforms.read(table, kind, rubric)
    named = check.names(back, mine, who)
    read = check.check(
        back,
        rubric,
        known,
        mine,
        named,
        packages.identities(store, sheet_id),
        _blindness(store, set(named.values())),
    )
    sheet = next(one for one in sheets.all_sheets(store) if one.id == sheet_id)
    graded_by = {grade.grader for grade in read.grades}
    notes = campaigns.paused_or_removed(store, mine[0].pack.set_id, graded_by)
    return Coming(sheet, rubric, replace(read, notes=(*read.notes, *notes)))


def store_grades(store: Store, coming: Coming, partial: bool, on_conflict: str | None) -> Intake:
    """Store the grades of a pack, as grades of a file, and note which pack they came in."""
    with store.write():
        # Marks the grades of this import: every newer one was stored by it, within one transaction.
        before = packages.newest_grade(store)
        taken = sheet_import.take_grades(
            store, coming.sheet, coming.read, coming.rubric, partial, on_conflict
        )
        packages.note(store, coming.read.packs, before)
    read = coming.read
    return taken._replace(
        grades_unchanged=taken.grades_unchanged + read.as_before,
        bad_rows=read.refused() - read.incomplete,
        incomplete=read.incomplete,
    )


def _before(store: Store, pack: Pack) -> dict[tuple[int, int], dict[str, str | int]]:
    return packages.earlier_grades(store, pack, packages.rubric_of(store, pack))


def _kind(table: Table) -> str | None:
    found = platforms.form(table)
    return found or (returned_rows.SHEET if returned_rows.code_column(table) else None)


def _is_pack(table: Table) -> bool:
    """True for a worksheet of row codes, and for a platform's export in which one has its code."""
    kind = _kind(table)
    if kind in (None, returned_rows.SHEET):
        return kind is not None
    return any(map(_CODE.fullmatch, platforms.codes(table, kind)))


def _has_codes(table: Table) -> bool:
    """True where one of the first records has a row code, under whatever heading."""
    cells = (cell for record in islice(table.records(), _FIRST) for cell in record.cells)
    return any(isinstance(cell, str) and _CODE.fullmatch(cell.strip()) for cell in cells)


def _blindness(store: Store, names: Iterable[str]) -> Callable[[str, int], bool]:
    """Return a test of blindness: a grade given before that annotator saw the judges' grades."""
    seen = {}
    for name in names:
        grader = graders.find(store, "person", name)
        seen[name] = packages.revealed_items(store, grader.id) if grader else set()
    return lambda name, item: item not in seen[name]
