"""Decomposition of a grading set's answers into units, and what is still missing.

Kinds made by a rule (contexts, sentences, pairs of a claim and a context) need no model and are
made here; the others are made by the run of a judge for metrics.
"""

import asyncio
from collections.abc import Sequence

from concord.grading import assignments, grading_sets
from concord.grading.assignments import DecompositionProgress
from concord.grading.grading_sets import GradingSet
from concord.importing import grade_file, unit_rows
from concord.importing.columns import ColumnMap
from concord.importing.faults import Checked
from concord.importing.readers.table import Table
from concord.importing.scores import Spread, Words
from concord.judges.metric_results import StoredResults
from concord.judges.prompting.metric_request import Undefined
from concord.messages import counted, said
from concord.metrics.prompts.inputs import Inputs
from concord.metrics.prompts.unit_kinds import KINDS, Kind
from concord.model import ENTITIES, Cell, Sheet, Unit
from concord.rubrics.model import Rubric, of_units
from concord.store import items
from concord.store.database import Store
from concord.store.rubrics import rubric_versions
from concord.store.units import units
from concord.text import entity_names

_PAIRS = "_chunk"
_NO_GRADER = 0


def source(kind: str) -> Kind:
    """The kind of units, or of the units that pairs with a context are made from."""
    return KINDS[_parent(kind)]


def is_by_rule(kind: str) -> bool:
    """True where units of a kind are made by a rule, without a model."""
    return kind in KINDS and KINDS[kind].rule is not None


def by_rule(store: Store, grading_set: GradingSet) -> DecompositionProgress | None:
    """Make the units of a set's answers that need no model; None for a set of whole answers.

    Pairs follow their units: where an annotator edited these, the pairs are rebuilt.
    """
    rubric = rubric_versions.get(store, grading_set.rubric_id)
    if not rubric.units:
        return None
    _cut_by_rule(store, sorted(grading_sets.items(store, grading_set.id)), rubric.units)
    return assignments.decomposition_progress(store, grading_set.id, rubric.units)


def sheet_by_rule(store: Store, sheet: Sheet, kind: str) -> None:
    """Make the units of a kind that need no model for all answers of a sheet, all or none."""
    with store.write():
        _cut_by_rule(store, items.item_ids(store, sheet.id), kind)


def _cut_by_rule(store: Store, item_ids: list[int], kind: str) -> None:
    if kind in KINDS:
        there = units.listed(store, item_ids, kind) if is_by_rule(kind) else set(item_ids)
        item_ids = [item_id for item_id in item_ids if item_id not in there]
    asyncio.run(_cut(store, item_ids, kind))


def sentence(kind: str, taken: DecompositionProgress) -> str:
    """Return how many answers cannot be graded yet and what to do; '' where all can."""
    if not taken.apart:
        return ""
    words = (
        "{answers} without {units} yet, so not assigned. Run a metric judge that needs {units}, on "
        "the screen Judges or with the command judge."
    )
    answers, parts = counted(taken.apart, "answer"), source(kind).plural
    return said(words, answers=answers, units=parts)


def waiting(store: Store, grading_set: GradingSet, kind: str) -> str:
    """Return how many answers of a set cannot be graded yet and what to do; '' where all can."""
    return sentence(kind, assignments.decomposition_progress(store, grading_set.id, kind))


async def _cut(store: Store, item_ids: Sequence[int], kind: str) -> None:
    for item_id in item_ids:
        item = items.item(store, item_id).item
        inputs = Inputs(item, _Session(store, item_id, _NO_GRADER), {})
        try:
            await (inputs.units(kind) if kind in KINDS else inputs.in_chunks(_parent(kind)))
        except Undefined:  # a model has to make its units first
            continue


class _Session(StoredResults):
    """A session that keeps what a rule makes and sends no requests."""

    async def keep_units(self, kind: str, cells: Sequence[Cell], by_rule: bool) -> Sequence[Unit]:
        return units.keep(self.store, self.item_id, kind, cells, None).units


def _parent(kind: str) -> str:
    """Return the kind that pairs are made from; other kinds unchanged."""
    return kind if kind in KINDS else kind.removesuffix(_PAIRS)


def as_read(kind: str, text: str) -> str:
    """A unit as annotators read it: of an entity the first name, and its other names behind it."""
    return entity_names.spoken(text) if kind in ENTITIES else text


def read(
    store: Store,
    sheet: Sheet,
    rubrics: Sequence[Rubric],
    table: Table,
    columns: ColumnMap,
    words: Words | None = None,
    spread: Spread = (),
) -> Checked:
    """Read the rows of a file, each checked; units that a rule makes are made first.

    `words` and `spread` say how grades are read (`grade_scales.readings`).
    """
    kinds = {one.units for one in rubrics if one.units}
    for kind in kinds:
        sheet_by_rule(store, sheet, kind)
    units = {kind: unit_rows.named_units(store, sheet.id, kind) for kind in kinds}
    keys = items.item_keys(store, sheet.id)
    return grade_file.read(table, columns, rubrics, keys, units, words, spread)


def rubrics(store: Store, sheet: Sheet) -> list[str]:
    """Return the rubrics of answers, and those of units that the sheet has or a rule makes."""
    of_parts = [
        name
        for name, one in of_units().items()
        if is_by_rule(one.units) or unit_rows.has(store, sheet.id, one)
    ]
    return [*rubric_versions.names(store), *of_parts]
