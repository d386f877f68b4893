"""Unit agreement: the figures of graders of units beyond the agreement rows.

Per answer the agreement of a metric, and errors of the lists of units. Precision and recall of the
failing verdict on units are in the rows.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from concord import metrics
from concord.metrics.framework.metric import Outcome
from concord.reports.document import Column, Table, table_of
from concord.reports.metrics.metrics import replayed
from concord.reports.panel.panel import Panel
from concord.rubrics import list_check
from concord.sampling import splits
from concord.stats.agreement import rank_correlation
from concord.stats.core.estimate import Estimate, undefined
from concord.stats.core.minimums import METRIC_FLOOR
from concord.stats.core.pairs import Pairs
from concord.stats.core.tables import distinct, effective_number
from concord.stats.intervals.wilson import proportion
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
    return {"by_answer": by_answer(store, panel), "lists": lists(store, panel)}


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
    panel: Panel, judged: Mapping[int, Outcome], annotators: Mapping[int, Mapping[int, Outcome]]
) -> dict[str, Any]:
    """Compare a judge's outcome of each answer with each annotator's."""
    values = [
        (item_id, person, judged[item_id].value, outcome.value)
        for person, found in annotators.items()
        for item_id, outcome in found.items()
    ]
    every = pd.DataFrame(values, columns=["item_id", "person", "judge", "annotator"])
    every = every.astype({"judge": float, "annotator": float})
    unlabelled = every["annotator"].isna()
    left_out = {NOT_LABELLED: unlabelled, NO_VERDICTS: every["judge"].isna() & ~unlabelled}
    both = every.dropna()
    places = panel.items.reset_index(drop=True).loc[panel.open, "item_id"]
    item = both["item_id"].map(dict(zip(places, places.index, strict=True))).to_numpy(int)
    weight = panel.weight[item] / np.bincount(item)[item]
    scores = both["judge"].to_numpy(), both["annotator"].to_numpy()
    pairs = Pairs(*scores, weight, item, panel.cluster[item])
    figures, spearman = composite_figures(pairs), undefined(rank_correlation.TOO_FEW)
    if distinct(item) >= METRIC_FLOOR:
        spearman = rank_correlation.spearman(*scores, pairs.cluster, weight)
    return {
        "n": distinct(item),
        "annotators": both["person"].nunique(),
        "questions": distinct(pairs.cluster),
        "left_out": {why: int(rows.sum()) for why, rows in left_out.items() if rows.any()},
        "mae": figures["mae"],
        "bias": figures["bias"],
        "spearman": spearman,
    }


def lists(store: Store, panel: Panel) -> dict[str, int | Estimate]:
    """Return the shares of checked lists with missing, invented or non-atomic units.

    A list checked by several annotators counts once, shared by them. `any` is the share with at
    least one error; `cannot_say` counts checks that an annotator could not make. A list of unknown
    inclusion probability does not count.
    """
    found = list_checks.of_sheet(store, panel.sheet.id, panel.rubric.units)
    closed = splits.held_out(store, panel.sheet.id) | splits.leaked(store, panel.sheet.id)
    known = dict(zip(panel.items["item_id"], panel.weight, strict=True))
    found["weight"] = found["item_id"].map(known).fillna(0.0 if panel.reweighted else 1.0)
    counts = found["person"].map(panel.lets_count).astype(bool) & (found["weight"] > 0)
    found = found[counts & ~found["question_id"].isin(closed)]
    labelled = found[found["label"].notna()]
    of_item = labelled.groupby("item_id")
    size = effective_number(of_item["weight"].first().to_numpy())
    weight = labelled["weight"] / of_item["person"].transform("count")
    own = labelled["cluster"].astype(object).fillna(labelled["question_id"])
    cluster = pd.factorize(own)[0]
    base = np.bincount(cluster, weight)

    def share(hit: pd.Series) -> Estimate:
        hits = np.bincount(cluster, weight * hit)
        return proportion(hits, base, float(size)) if len(hit) else undefined(NO_LIST)

    errors = labelled["label"].str.split(", ").explode()
    return {
        "lists": int(labelled["item_id"].nunique()),
        "annotators": int(labelled["person"].nunique()),
        "cannot_say": len(found) - len(labelled),
        **{
            name.replace(" ", "_"): share((errors == name).groupby(level=0).any())
            for name in list_check.ERRORS
        },
        "any": share(labelled["label"] != list_check.RIGHT),
    }


def tables(found: Mapping[str, Any]) -> tuple[Table, ...]:
    """Return metrics per answer, and the errors of the lists that a model made."""
    by_answer = (
        ("judge", "judge"),
        ("metric", lambda row: metrics.title(row["metric"])),
        (Column("answers", "count"), "n"),
        (Column("left out", "count"), lambda row: sum(row["left_out"].values())),
        (Column("mean distance", "number"), "mae"),
        (Column("bias", "difference"), "bias"),
        (Column("Spearman", "number"), "spearman"),
    )
    checked = (
        (Column("lists checked", "count"), "lists"),
        (Column("annotators", "count"), "annotators"),
        *((Column(one, "share"), one.replace(" ", "_")) for one in list_check.ERRORS),
        (Column("any error", "share"), "any"),
    )
    lists = [found["lists"]] if found["lists"]["lists"] else []
    return (
        table_of("by-answer", found["by_answer"], by_answer, "Metrics by annotators' labels"),
        table_of("lists", lists, checked, "Errors of the lists"),
    )
