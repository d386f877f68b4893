"""Unit agreement: the figures of graders of units beyond the agreement rows.

Per answer the agreement of a metric; and errors of the lists of units. Precision and recall of the
failing verdict on units are in the rows.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from concord import metrics
from concord.metrics.framework.metric import Outcome
from concord.reports.document import Column, Table
from concord.reports.metrics.metric_variants import replayed
from concord.reports.panel.panel import Panel
from concord.reports.units import extraction
from concord.reports.units.extraction import ListWeights, list_weights, share
from concord.rubrics import list_check
from concord.stats.agreement import rank_correlation
from concord.stats.core.estimate import Estimate, undefined
from concord.stats.core.minimums import METRIC_FLOOR
from concord.stats.core.pairs import Pairs
from concord.stats.core.tables import distinct
from concord.stats.statistics import composite_figures
from concord.store.database import Store
from concord.store.units import list_checks

NO_LIST = "no annotator has checked a list yet"
NOT_LABELLED = "not fully labelled by the annotator"
NO_VERDICTS = "without all of the judge's verdicts"


def report(store: Store, panel: Panel) -> dict[str, Any] | None:
    """Return what is said of units beyond the rows; None for a rubric of whole answers."""
    if not panel.rubric.units:
        return None
    return {
        "by_answer": by_answer(store, panel),
        "lists": lists(store, panel),
        "extraction": extraction.report(store, panel),
    }


def lists(store: Store, panel: Panel) -> dict[str, int | Estimate]:
    """Return the shares of checked lists with missing, invented or non-atomic units.

    A list checked by several annotators counts once, shared by them. `any` is the share with at
    least one error; `cannot_say` counts checks that an annotator could not make.
    """
    found = list_checks.of_sheet(store, panel.sheet.id, panel.rubric.units)
    found = found[found["person"].map(panel.lets_count).astype(bool)].reset_index(drop=True)
    on = list_weights(store, panel, found["item_id"], found["question_id"], found["cluster"])
    found = found.assign(weight=on.weight, place=on.cluster)[on.weight > 0]
    labelled = found[found["label"].notna()]
    shares = {
        name.replace(" ", "_"): _share_of_lists(labelled, name)
        for name in (*list_check.ERRORS, "any")
    }
    return {
        "lists": int(labelled["item_id"].nunique()),
        "annotators": int(labelled["person"].nunique()),
        "cannot_say": len(found) - len(labelled),
        **shares,
    }


def _share_of_lists(told: pd.DataFrame, error: str) -> Estimate:
    if told.empty:
        return undefined(NO_LIST)
    hit = told["label"].map(lambda label: error in label.split(", "))
    hit = told["label"] != list_check.RIGHT if error == "any" else hit
    of_item = told.groupby("item_id")
    weight = (told["weight"] / of_item["person"].transform("count")).to_numpy()
    on = ListWeights(weight, np.unique(told["place"], return_inverse=True)[1], Counter())
    return share(on, hit.to_numpy(), np.ones(len(told)), of_item["weight"].first().to_numpy())


def by_answer(store: Store, panel: Panel) -> list[dict[str, Any]]:
    """Return a metric by a judge's verdicts and by annotators' labels, on the answers they share.

    The first reading of the metric for both. All pairs of an annotator and the judge count, an
    answer with total weight 1; answers that either has not labelled whole are in `left_out`.
    """
    rests = [one for one in metrics.available().values() if panel.rubric.name in one.rubrics]
    item_ids, criterion = panel.items["item_id"].to_numpy(), panel.rubric.criteria[0].name
    labelled = {
        person: np.unique(item_ids[panel.counted(criterion, person)]).tolist()
        for person in panel.annotators
    }
    every = sorted({item_id for ids in labelled.values() for item_id in ids})
    rows = []
    for metric in rests if every else ():
        annotators = {i: replayed(store, metric, ids, i) for i, ids in labelled.items()}
        for judge in (one for one in panel.judges.values() if one.kind == "metric"):
            found = replayed(store, metric, every, judge.id)
            about = {"judge": panel.labels[judge.id], "metric": metric.name}
            rows.append(about | _compared(panel, found, annotators))
    return rows


def _compared(
    panel: Panel,
    told: Mapping[int, Outcome],
    annotators: Mapping[int, Mapping[int, Outcome]],
) -> dict[str, Any]:
    """Compare a judge's outcome of each answer with each annotator's."""
    both, left_out = [], Counter()
    for person, found in annotators.items():
        for item_id, outcome in found.items():
            judge, own = told[item_id].value, outcome.value
            if own is None:
                left_out[NOT_LABELLED] += 1
            elif judge is None:
                left_out[NO_VERDICTS] += 1
            else:
                both.append((item_id, person, judge, own))
    ids, people, judge, annotator = zip(*both, strict=True) if both else [()] * 4
    item_ids = panel.items["item_id"].to_numpy()
    places = {int(item_ids[place]): place for place in np.flatnonzero(panel.open)}
    item = np.array([places[item_id] for item_id in ids], int)
    weight = panel.weight[item] / np.bincount(item, minlength=len(item_ids))[item]
    pairs = Pairs(
        np.array(judge, float), np.array(annotator, float), weight, item, panel.cluster[item]
    )
    figures, spearman = composite_figures(pairs), undefined(rank_correlation.TOO_FEW)
    if distinct(item) >= METRIC_FLOOR:
        spearman = rank_correlation.spearman(*pairs[:2], pairs.cluster, weight)
    return {
        "n": distinct(item),
        "annotators": len({*people}),
        "questions": distinct(pairs.cluster),
        "left_out": dict(left_out),
        "mae": figures["mae"],
        "bias": figures["bias"],
        "spearman": spearman,
    }


def tables(found: Mapping[str, Any]) -> tuple[Table, ...]:
    """Return metrics per answer, the lists that a model made, and their errors."""
    columns = (
        *(Column("judge"), Column("metric"), Column("answers", "count")),
        *(Column("left out", "count"), Column("mean distance", "number")),
        *(Column("bias", "difference"), Column("Spearman", "number")),
    )
    rows = tuple(
        (
            *(row["judge"], metrics.title(row["metric"]), row["n"]),
            *(sum(row["left_out"].values()), row["mae"], row["bias"], row["spearman"]),
        )
        for row in found["by_answer"]
    )
    shares = [Column(error, "share") for error in (*list_check.ERRORS, "any error")]
    heads = (Column("lists checked", "count"), Column("annotators", "count"), *shares)
    cells = tuple(value for key, value in found["lists"].items() if key != "cannot_say")
    return (
        Table("by-answer", columns, rows, "Metrics by annotators' labels"),
        extraction.table(found["extraction"]),
        Table("lists", heads, (cells,) if cells[0] else (), "Errors of the lists"),
    )
