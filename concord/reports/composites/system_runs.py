"""Runs compared: two runs of a system by one composite, question by question."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from concord.messages import Problem, Said, joined, said
from concord.model import Sheet
from concord.reports.composites.composite_table import (
    ENCODED,
    Column,
    CompositeTable,
    columns,
    shares_of,
    table,
)
from concord.reports.gates.regression_gate import MARGIN, Regression, Run, gate
from concord.reports.metrics import metric_records
from concord.reports.metrics.metric_records import Readings
from concord.reports.metrics.metrics import reading
from concord.stats.intervals.resampling import Draws
from concord.store import items
from concord.store.database import Store
from concord.text.normal_form import normalised

WEIGHTS, ENCODER = "weights", "cross-encoder"


class ComparedRuns(NamedTuple):
    """The sides of a comparison: a sheet and an answering model each; None for a single one."""

    sheet: Sheet
    model: str | None
    baseline_sheet: Sheet
    baseline_model: str | None


def compare(
    store: Store,
    sides: ComparedRuns,
    weights: Mapping[str, float] | None = None,
    judge: str | None = None,
    by: str = WEIGHTS,
    margin: float = MARGIN,
    draws: Draws | None = None,
) -> Regression:
    """Compare a new run with a baseline, on questions of the same text.

    `weights` and `judge` are as for `composites.report`, the same for both; `by` is `weights` or
    `cross-encoder`. Runs within `margin`, in the composite's own points, count as the same.
    """
    every = {one.id: one for one in (sides.sheet, sides.baseline_sheet)}
    read = {at: metric_records.read(store, one) for at, one in every.items()}
    values = _encoded(read) if by == ENCODER else _weighted(read, weights, judge)
    new, cluster = _run(store, sides.sheet, sides.model, values)
    old, more = _run(store, sides.baseline_sheet, sides.baseline_model, values)
    if new.name == old.name:
        raise Problem("The new run and the baseline are the same. Name two that differ.")
    found = gate(new, old, more | cluster, margin, draws or Draws())
    return replace(found, by=by, list_edited=metric_records.edited(*read.values()))


def _run(
    store: Store, sheet: Sheet, model: str | None, known: Mapping[int, dict[int, float]]
) -> tuple[Run, dict[str, Any]]:
    """The mean composite of a model's answers to each question, and each question's cluster."""
    chosen, values = _model(sheet, model), known[sheet.id]
    index = items.item_index(store, sheet.id)
    mine = {row["id"] for row in index if row["answer_model"] == chosen}
    wanted = [item_id for item_id in values if item_id in mine]
    by_question: dict[str, list[float]] = {}
    cluster: dict[str, Any] = {}
    for stored in items.items(store, wanted):
        question = normalised(stored.item.question)
        by_question.setdefault(question, []).append(values[stored.id])
        cluster[question] = stored.item.cluster or question
    means = {question: float(np.mean(some)) for question, some in by_question.items()}
    model = chosen or said("the answers")
    return Run(said("{model} ({sheet})", model=model, sheet=sheet.name), means), cluster


def _model(sheet: Sheet, model: str | None) -> str | None:
    """The answering model meant: the one named, or the only one of the sheet."""
    known = sheet.answer_models
    if model is None and len(known) <= 1:
        return known[0] if known else None
    if model not in known:
        raise Problem(
            "Name an answering model of the sheet {sheet}: {known}.",
            sheet=sheet.name,
            known=joined(", ", known),
        )
    return model


def _weighted(
    read: Mapping[int, Readings], weights: Mapping[str, float] | None, judge: str | None
) -> dict[int, dict[int, float]]:
    """The weighted composite of every answer that has one, by sheet and item id."""
    shares = shares_of(weights) if weights else {}
    chosen = {at: columns(found, list(shares), judge) for at, found in read.items()}
    first, *others = map(_definitions, chosen.values())
    for other in others:
        if apart := sorted(first ^ other):
            raise Problem(
                "The two sheets were not scored alike, so they cannot be compared: {metrics} is "
                "on one of them only. Run the same judge over both, or say which metrics count "
                "with --weight.",
                metrics=joined("; ", apart),
            )
    return {at: _means(table(read[at], chosen[at]), shares) for at in read}


def _definitions(chosen: Sequence[Column]) -> set[str]:
    """Return the definition of each column's values, in words."""
    return {joined(", ", [_by(one), reading(dict(sorted(one.switches.items())))]) for one in chosen}


def _by(column: Column) -> Said:
    return said("{metric} by {judge}", metric=column.metric.name, judge=column.judge)


def _means(held: CompositeTable, shares: Mapping[str, float]) -> dict[int, float]:
    share = [shares.get(one.metric.name, 1 / len(held.columns)) for one in held.columns]
    return dict(zip(held.item.tolist(), (held.values @ np.array(share)).tolist(), strict=True))


def _encoded(read: Mapping[int, Readings]) -> dict[int, dict[int, float]]:
    """The newest score of a cross-encoder that all sheets have, by sheet and item id."""
    scored = {
        at: [one for one in found.records if one.metric == ENCODED and one.value is not None]
        for at, found in read.items()
    }
    if not all(scored.values()):
        raise Problem("No cross-encoder has scored one of the sheets. See --cross-encoder.")
    shared = set.intersection(*({one.version for one in some} for some in scored.values()))
    if not shared:
        raise Problem(
            "The two sheets were scored by different cross-encoders, or on different metrics. "
            "Score both with --cross-encoder on the same metrics."
        )
    newest = [one.version for one in next(iter(scored.values())) if one.version in shared][-1]
    return {
        at: {one.item_id: one.value for one in some if one.version == newest}
        for at, some in scored.items()
    }
