"""Runs compared: two runs of a system by one composite, question by question."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from data import contents
from data.model import normalised
from data.sheets import Sheet
from data.store import Store
from problems import Problem
from reports import measured
from reports.composite_table import ENCODED, columns, table
from reports.composites import shares_of
from reports.measured import Readings
from reports.regression_gate import MARGIN, Run, gate
from stats.draws import Draws

WEIGHTS, ENCODER = "weights", "cross-encoder"


class Sides(NamedTuple):
    """What is held against what: a sheet and an answering model each; None where it has one."""

    sheet: Sheet
    model: str | None
    baseline_sheet: Sheet
    baseline_model: str | None


def compare(
    store: Store,
    sides: Sides,
    weights: Mapping[str, float] | None = None,
    judge: str | None = None,
    by: str = WEIGHTS,
    margin: float = MARGIN,
    draws: Draws | None = None,
) -> dict[str, Any]:
    """A new run held against a baseline: `regression_gate.gate` on questions of the same text.

    Args:
        store: The store.
        sides: The new run and the baseline.
        weights: As for `composites.report`; the same for both.
        judge: As there.
        by: `weights`, or `cross-encoder`.
        margin: How far apart they may be and count as the same, in the composite's own points.
        draws: Resamples of questions.
    """
    every = {one.id: one for one in (sides.sheet, sides.baseline_sheet)}
    values = {at: _values(store, one, weights, judge, by) for at, one in every.items()}
    new, cluster = _run(store, sides.sheet, sides.model, values)
    old, more = _run(store, sides.baseline_sheet, sides.baseline_model, values)
    if new.name == old.name:
        raise Problem("The new run and the baseline are the same. Name two that differ.")
    return gate(new, old, more | cluster, margin, draws or Draws()) | {"by": by}


def _values(
    store: Store,
    sheet: Sheet,
    weights: Mapping[str, float] | None,
    judge: str | None,
    by: str,
) -> dict[int, float]:
    """The composite of every answer of a sheet that has one, by item id."""
    found = measured.read(store, sheet)
    return _encoded(found) if by == ENCODER else _weighted(found, weights, judge)


def _run(
    store: Store, sheet: Sheet, model: str | None, known: Mapping[int, dict[int, float]]
) -> tuple[Run, dict[str, Any]]:
    """The mean composite of a model's answers to each question, and each question's cluster."""
    chosen, values = _model(sheet, model), known[sheet.id]
    index = contents.item_index(store, sheet.id)
    mine = {row["id"] for row in index if row["answer_model"] == chosen}
    wanted = [item_id for item_id in values if item_id in mine]
    by_question: dict[str, list[float]] = {}
    cluster: dict[str, Any] = {}
    for stored in contents.items(store, wanted):
        question = normalised(stored.item.question)
        by_question.setdefault(question, []).append(values[stored.id])
        cluster[question] = stored.item.cluster or question
    means = {question: float(np.mean(some)) for question, some in by_question.items()}
    return Run(f"{chosen or 'the answers'} ({sheet.name})", means), cluster


def _model(sheet: Sheet, model: str | None) -> str | None:
    """The answering model meant: the one named, or the only one of the sheet."""
    known = sheet.answer_models
    if model is None and len(known) <= 1:
        return known[0] if known else None
    if model not in known:
        raise Problem(
            f"Say which answering model of the sheet {sheet.name} is meant: {', '.join(known)}."
        )
    return model


def _weighted(
    found: Readings, weights: Mapping[str, float] | None, judge: str | None
) -> dict[int, float]:
    shares = shares_of(weights) if weights else {}
    held = table(found, columns(found, list(shares), judge))
    share = [shares.get(one.measure.name, 1 / len(held.columns)) for one in held.columns]
    return dict(zip(held.item.tolist(), (held.values @ np.array(share)).tolist(), strict=True))


def _encoded(found: Readings) -> dict[int, float]:
    """The newest reading of the cross-encoder, by item id."""
    every = [one for one in found.records if one.measure == ENCODED and one.value is not None]
    if not every:
        raise Problem("No cross-encoder has scored one of the sheets. See --cross-encoder.")
    return {one.item_id: one.value for one in every if one.version == every[-1].version}
