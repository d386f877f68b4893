"""Composites of measures: one number for an answer, made of several, in three ways.

By weights that the user chooses, by weights fitted to people's own composite and read out of fold,
and by a cross-encoder that reads the answer with a statement of each measure (VERA 2024).
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from concord import metrics
from concord.messages import said
from concord.metrics.framework.metric import Measure
from concord.problems import Problem
from concord.reports.composites import encoded_composite
from concord.reports.composites.composite_means import means
from concord.reports.composites.composite_table import (
    CompositeTable,
    columns,
    missing_of_vera,
    table,
)
from concord.reports.metrics.metric_records import Readings
from concord.reports.metrics.metric_validity import people as by_people
from concord.reports.panel.panel import COMPOSITE, Panel
from concord.stats.agreement import rank_correlation
from concord.stats.core.estimate import Estimate, undefined
from concord.stats.core.pairs import Pairs
from concord.stats.correction import fitted_weights
from concord.stats.intervals.resampling import Draws
from concord.stats.statistics import composite_figures
from concord.store import answer_names, items
from concord.store.database import Store
from concord.store.sheets import Sheet

NOBODY = said("no person's grade of every criterion stands beside these measures")


def report(
    found: Readings,
    panel: Panel | None,
    weights: Mapping[str, float] | None = None,
    judge: str | None = None,
    draws: Draws | None = None,
) -> dict[str, Any]:
    """Every composite of a sheet.

    Args:
        found: Its readings.
        panel: People's grades of it; None without.
        weights: By measure, positive; None weighs VERA's measures alike, else all that were found.
        judge: Whose numbers count where several judges found a measure.
        draws: Resamples for the means.

    Returns:
        `items`; `simulated`, whether the people are; `weighted`: `weights` (the mapping of each
        measure and its share), `absent` (those of VERA's without a number, where no weights are
        given), `n`, `left_out`, `mean` and `models` (each a figure with `n`),
        `people` (Spearman with people's composite); `fitted`: see `fitted_to_people`; `encoded`:
        see `encoded_composite.report`.
    """
    draws = draws or Draws()
    shares = shares_of(weights) if weights else {}
    chosen = columns(found, list(shares), judge)
    held = table(found, chosen)
    absent = [] if shares else missing_of_vera(chosen)
    if not shares:
        shares = {one.measure.name: 1 / len(chosen) for one in chosen}
    share = np.array([shares[one.measure.name] for one in chosen])
    given = (
        by_people(panel, COMPOSITE if len(panel.weights) > 1 else panel.criteria[0])
        if panel
        else {}
    )
    value = held.values @ share
    return {
        "items": found.items,
        "simulated": bool(panel) and any(one.simulated for one in panel.people.values()),
        "weighted": {
            "weights": [
                one | {"weight": float(weight)}
                for one, weight in zip(held.mapping(), share, strict=True)
            ],
            "absent": absent,
            "n": len(held.item),
            "left_out": held.left_out,
            **means(value, held.cluster, held.answer_model, draws),
            "people": against_people(held.item, value, given),
        },
        "fitted": fitted_to_people(held, value, given),
        "encoded": encoded_composite.report(found, given, draws),
    }


def named(store: Store, sheet: Sheet, document: dict[str, Any]) -> dict[str, Any]:
    """The report with each answer's own id or number as `item`, and what people call it."""
    names, called = items.item_names(store, sheet.id), answer_names.of_sheet(store, sheet.id)
    encoded = document["encoded"]
    ranked = [
        one | {"item": names[one["item"]][0], "called": called[one["item"]]}
        for one in encoded["ranked"]
    ]
    return document | {"encoded": encoded | {"ranked": ranked}}


def offered(found: Readings) -> list[Measure]:
    """The measures that can be part of a composite: those with limits that were found here."""
    known = metrics.found()
    names = dict.fromkeys(one.measure for one in found.records if one.value is not None)
    measures = [known[name] for name in names if name in known]
    return [one for one in measures if one.low is not None and one.high is not None]


def people_of(panel: Panel | None) -> dict[int, tuple]:
    """People's composites by item id, with cluster and weight; of one criterion, its scores."""
    if panel is None:
        return {}
    return by_people(panel, COMPOSITE if len(panel.weights) > 1 else panel.criteria[0])


def shares_of(weights: Mapping[str, float]) -> dict[str, float]:
    """Weights as shares that sum to 1.

    Raises:
        Problem: A weight is not a positive number.
    """
    for name, weight in weights.items():
        if not (np.isfinite(weight) and weight > 0):
            raise Problem(
                said(
                    "The weight of {measure} is {weight:g}. Weights are above 0.",
                    measure=name,
                    weight=weight,
                )
            )
    total = sum(weights.values())
    return {name: weight / total for name, weight in weights.items()}


def against_people(item: np.ndarray, value: np.ndarray, given: Mapping) -> dict[str, Any]:
    """Spearman's correlation with people's composite, where people gave one."""
    known = np.array([one in given for one in item.tolist()], bool)
    if not known.any():
        return {"n": 0, **undefined(NOBODY)._asdict()}
    people, cluster, weight = _people(item[known], given)
    found = rank_correlation.spearman(value[known], people, cluster, weight)
    return {"n": int(known.sum()), **found._asdict()}


def fitted_to_people(held: CompositeTable, equal: np.ndarray, given: Mapping) -> dict[str, Any]:
    """Weights fitted to people's composite, and how they do on questions they were not fitted to.

    Args:
        held: The measures.
        equal: (n,) the composite by the chosen weights, to be held against.
        given: People's composites by item id, from `metrics.metric_validity.people`.

    Returns:
        `n`, `questions`, `weights` (`measure`, `weight`, and the `least` and `most` of the folds),
        `intercept`, `penalty`, `folds`; out of fold `spearman`, `mae`, `constant_mae` (of the mean
        of people alone) and `ahead` (Spearman less that of the chosen weights), as figures;
        `why_none`.
    """
    known = np.array([one in given for one in held.item.tolist()], bool)
    values = held.values[known]
    if not known.any():
        return _not_fitted(0, 0, NOBODY)
    people, cluster, weight = _people(held.item[known], given)
    questions = len(np.unique(cluster))
    if why := fitted_weights.too_few(values, people, cluster):
        return _not_fitted(len(people), questions, why)
    found = fitted_weights.fit(values, people, cluster, weight)
    out = found.out_of_fold
    return {
        "n": len(people),
        "questions": questions,
        "weights": [
            {"measure": one.measure.name, "title": one.measure.title, "judge": one.judge}
            | {"weight": float(weight), "least": float(folds.min()), "most": float(folds.max())}
            for one, weight, folds in zip(held.columns, found.weights, found.by_fold.T, strict=True)
        ],
        "intercept": found.intercept,
        "penalty": found.penalty,
        "folds": fitted_weights.FOLDS,
        "spearman": rank_correlation.spearman(out, people, cluster, weight)._asdict(),
        "mae": _mae(out, people, cluster, weight)._asdict(),
        "constant_mae": _mae(found.constant, people, cluster, weight)._asdict(),
        "ahead": rank_correlation.lead(out, equal[known], people, cluster, weight)._asdict(),
        "why_none": None,
    }


def _not_fitted(n: int, questions: int, why: str) -> dict[str, Any]:
    none = undefined(why)._asdict()
    figures = dict.fromkeys(("spearman", "mae", "constant_mae", "ahead"), none)
    rest = {"weights": [], "intercept": None, "penalty": None, "folds": None}
    return {"n": n, "questions": questions, **rest, **figures, "why_none": why}


def _people(item: np.ndarray, given: Mapping) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """People's composites of some items, their clusters and what they weigh."""
    columns_of = zip(*(given[one] for one in item.tolist()), strict=True)
    people, cluster, weight = map(np.array, columns_of)
    return people, cluster, weight


def _mae(
    value: np.ndarray, people: np.ndarray, cluster: np.ndarray, weight: np.ndarray
) -> Estimate:
    item = np.arange(len(people))
    return composite_figures(Pairs(value, people, weight, item, cluster))["mae"]
