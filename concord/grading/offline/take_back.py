"""Import of returned packages: recognise them by their row codes, check them, store the grades."""

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

from concord.grading import campaigns, grading_sets
from concord.grading.offline import check, packages, returned_rows
from concord.grading.offline.check import PackageContents, PackSheet
from concord.grading.offline.package_columns import ANSWERS, CODE, HEADINGS
from concord.importing import sheet_import
from concord.importing.readers.table import Table
from concord.importing.sheet_import import Intake
from concord.messages import Problem
from concord.model import Sheet
from concord.rubrics.model import Rubric
from concord.store import sheets
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
    others = sorted(set(table.worksheets) - {table.worksheet}, key=lambda name: name != ANSWERS)
    opened = [table]
    for name in others if returned_rows.code_column(table) is None else ():
        with suppress(Problem):  # an empty worksheet is no pack
            opened.append(again(name))
    found = next((one for one in opened if returned_rows.code_column(one) is not None), None)
    if found is None and any(map(_has_codes, opened)):
        raise Problem(
            "{file} contains row codes of a package, but has no column “{column}”. Restore the "
            "original names of the columns.",
            file=table.source.name,
            column=HEADINGS[CODE],
        )
    return found


def read(store: Store, table: Table) -> Coming:
    """Read and check a pack that came back, in a table from `table_of`.

    Raises:
        Problem: No pack of this database is in the file.
    """
    codes = list(returned_rows.codes(table))
    # By row codes and not by file name, which annotators change.
    known = {
        token: PackageContents(
            pack,
            packages.rows_by_code(store, pack),
            packages.earlier_grades(store, pack, packages.rubric_of(store, pack)),
        )
        for token, pack in packages.of_codes(store, codes).items()
    }
    mine = check.main_pack(codes, known)
    if mine is None:
        raise Problem(
            "{file} has row codes, but of no package created in this database. Import it where it "
            "was exported.",
            file=table.source.name,
        )
    pack = mine.pack
    rubric = packages.rubric_of(store, pack)
    sheet_id = grading_sets.get(store, pack.set_id).sheet_id
    read = check.check(
        returned_rows.read(table, rubric),
        rubric,
        known,
        mine,
        packages.identities(store, sheet_id),
        packages.revealed_items(store, pack.grader_id),
    )
    sheet = next(one for one in sheets.all_sheets(store) if one.id == sheet_id)
    graded_by = {grade.grader for grade in read.grades}
    notes = campaigns.paused_or_removed(store, pack.set_id, graded_by)
    return Coming(sheet, rubric, replace(read, notes=(*read.notes, *notes)))


def store_grades(store: Store, coming: Coming, partial: bool, on_conflict: str | None) -> Intake:
    """Store the grades of a pack, as grades of a file, and note which pack they came in."""
    with store.write():
        # Marks the grades of this import: every newer one was stored by it, within one transaction.
        before = packages.newest_grade(store)
        taken = sheet_import.take_grades(
            store, coming.sheet, coming.read, coming.rubric, partial, on_conflict
        )
        packages.note(store, coming.read.pack, before)
    read = coming.read
    return taken._replace(
        grades_unchanged=taken.grades_unchanged + read.as_before,
        bad_rows=read.refused() - read.incomplete,
        incomplete=read.incomplete,
    )


def _has_codes(table: Table) -> bool:
    """True where one of the first records has a row code, under whatever heading."""
    cells = (cell for record in islice(table.records(), _FIRST) for cell in record.cells)
    return any(isinstance(cell, str) and _CODE.fullmatch(cell.strip()) for cell in cells)
