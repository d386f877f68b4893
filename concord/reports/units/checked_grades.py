"""Checked grades: a file of grades read against the answers of a sheet, their units and lists."""

from collections.abc import Sequence

from concord.importing import grade_file
from concord.importing.columns import ColumnMap
from concord.importing.grade_file import GradeSheet
from concord.importing.readers.table import Table
from concord.importing.scores import Words
from concord.importing.units import list_check_import, unit_names
from concord.model import Sheet
from concord.reports.units import decomposition
from concord.rubrics.model import Rubric, of_units
from concord.store import items
from concord.store.database import Store
from concord.store.rubrics import rubric_versions


def read(
    store: Store,
    sheet: Sheet,
    rubrics: Sequence[Rubric],
    table: Table,
    columns: ColumnMap,
    words: Words | None = None,
) -> GradeSheet:
    """Read the rows of a file, each checked; units that a rule makes are made first.

    `words` has scores by word (`scores.words_to_scores`).
    """
    kinds = {one.units for one in rubrics if one.units}
    for kind in kinds:
        decomposition.sheet_by_rule(store, sheet, kind)
    units = {kind: unit_names.of_sheet(store, sheet.id, kind) for kind in kinds}
    lists = {kind: list_check_import.of_sheet(store, sheet.id, kind) for kind in kinds}
    keys = items.item_keys(store, sheet.id)
    return grade_file.read(table, columns, rubrics, keys, units, lists, words)


def rubrics(store: Store, sheet: Sheet) -> list[str]:
    """Return the rubrics of answers, and those of units that the sheet has or a rule makes."""
    of_parts = [
        name
        for name, one in of_units().items()
        if decomposition.is_by_rule(one.units) or unit_names.has(store, sheet.id, one)
    ]
    return [*rubric_versions.names(store), *of_parts]
