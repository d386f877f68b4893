"""Checked grades: a file of grades read against the answers of a sheet, their units and lists."""

from collections.abc import Sequence

from concord.importing import grade_file, scores
from concord.importing.columns import ColumnMap
from concord.importing.grade_file import GradeSheet
from concord.importing.proposals import zero_to_one
from concord.importing.proposals.grade_scales import with_usual
from concord.importing.proposals.zero_to_one import Narrow
from concord.importing.readers.table import Table
from concord.importing.scores import Spread, Words
from concord.importing.units import list_check_import, unit_names
from concord.messages import Said
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
    spread: Spread | None = None,
) -> GradeSheet:
    """Read the rows of a file, each checked; units that a rule makes are made first.

    `words` has scores by word (`scores.words_to_scores`); `spread` maps numbers of 0 to 1, and is
    empty where they are kept.

    Raises:
        Problem: there are numbers of 0 to 1 on a longer scale, and no `spread` says what they are.
    """
    if spread is None and (found := narrow(store, rubrics, table, columns, words)):
        raise zero_to_one.refusal(table.source.name, found, rubrics[0])
    kinds = {one.units for one in rubrics if one.units}
    for kind in kinds:
        decomposition.sheet_by_rule(store, sheet, kind)
    units = {kind: unit_names.of_sheet(store, sheet.id, kind) for kind in kinds}
    lists = {kind: list_check_import.of_sheet(store, sheet.id, kind) for kind in kinds}
    keys = items.item_keys(store, sheet.id)
    return grade_file.read(table, columns, rubrics, keys, units, lists, words, spread)


def narrow(
    store: Store,
    rubrics: Sequence[Rubric],
    table: Table,
    columns: ColumnMap,
    words: Words | None = None,
) -> list[Narrow]:
    """Find the criteria whose numbers lie within 0 to 1, where the rubric's scale is longer."""
    versions = () if rubrics[0].units else rubric_versions.criteria(store, rubrics[0])
    return zero_to_one.narrow(table, columns, rubrics[0], words, versions)


def rubrics(store: Store, sheet: Sheet) -> list[str]:
    """Return the rubrics of answers, and those of units that the sheet has or a rule makes."""
    of_parts = [
        name
        for name, one in of_units().items()
        if decomposition.is_by_rule(one.units) or unit_names.has(store, sheet.id, one)
    ]
    return [*rubric_versions.names(store), *of_parts]


def scores_of(
    store: Store,
    rubrics: Sequence[Rubric],
    table: Table,
    columns: ColumnMap,
    texts: Sequence[str],
) -> tuple[Words, Spread | None, list[Said]]:
    """The scores that texts `WORD=SCORE` and `0-1=LOW-HIGH` give, and what to say of them.

    Other words have their usual scores where these are on the scale of the rubric. The second is
    None where no text says how numbers of 0 to 1 are read.
    """
    scale = rubrics[0].scale
    texts, reading = zero_to_one.answered(texts, scale)
    words, notes = with_usual(table, columns, rubrics, scores.words_to_scores(texts))
    if reading != "mapped":
        return words, {} if reading else None, notes
    found = narrow(store, rubrics, table, columns, words)
    return words, zero_to_one.spread(found, scale), [*notes, *zero_to_one.sentences(found, scale)]
