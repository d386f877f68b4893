"""Unit agreement: the figures of graders of units beyond the agreement rows.

Per answer the agreement of a metric; and errors of the lists of units. Precision and recall of the
failing verdict on units are in the rows.


Extraction: agreement of the entities that a model found with the lists annotators corrected.

Entries that share a form are one entity. One of the model's has at most one counterpart among the
annotators': any form in common makes it one. Precision is the share of the model's entities with a
counterpart, recall that of the annotators', and F1 that of both lists together, which is the
harmonic mean of the two. All lists are counted together, so a long list says more than a short one.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching

from concord import metrics
from concord.metrics.framework.metric import Outcome
from concord.metrics.prompts.unit_kinds import KINDS
from concord.model import ENTITIES
from concord.reports.document import Column, Table, table_of
from concord.reports.metrics.metric_variants import replayed
from concord.reports.panel.panel import IN_HELD_OUT_TEST, LEAKED, Panel
from concord.rubrics import list_check
from concord.sampling import splits
from concord.stats.agreement import rank_correlation
from concord.stats.core.estimate import Estimate, undefined
from concord.stats.core.minimums import METRIC_FLOOR
from concord.stats.core.pairs import Pairs
from concord.stats.core.tables import distinct, effective_number
from concord.stats.intervals.wilson import proportion
from concord.stats.statistics import composite_figures
from concord.store import graders
from concord.store.database import Store
from concord.store.units import list_checks, units
from concord.store.units.units import CorrectedList
from concord.text.entity_names import folded

UNKNOWN = "the inclusion probability of its answer is unknown"


class ListWeights(NamedTuple):
    """Weight of each list, 0 where it does not count, and the index of its cluster.

    `left_out` counts those that do not count, by reason.
    """

    weight: np.ndarray
    cluster: np.ndarray
    left_out: Counter


def list_weights(
    store: Store,
    panel: Panel,
    item_ids: Sequence[int],
    question_ids: Sequence[int],
    clusters: Sequence[str | None],
) -> ListWeights:
    """Return the weights of lists, given the item, question and cluster of each."""
    known = dict(zip(panel.items["item_id"].tolist(), panel.weight.tolist(), strict=True))
    unknown = 0.0 if panel.reweighted else 1.0
    held_out, leaked = splits.held_out(store, panel.sheet.id), splits.leaked(store, panel.sheet.id)
    weight, left_out = [], Counter()
    for item_id, question_id in zip(item_ids, question_ids, strict=True):
        own = known.get(item_id, unknown)
        why = IN_HELD_OUT_TEST if question_id in held_out else UNKNOWN if own == 0 else ""
        why = LEAKED if question_id in leaked else why
        left_out.update([why] if why else [])
        weight.append(0.0 if why else own)
    named = [
        f"question {question_id}" if pd.isna(cluster) else f"cluster {cluster}"
        for question_id, cluster in zip(question_ids, clusters, strict=True)
    ]
    place = np.unique(named, return_inverse=True)[1] if named else np.zeros(0, int)
    return ListWeights(np.array(weight, float), place, left_out)


def share(on: ListWeights, hits: np.ndarray, of: np.ndarray, each: np.ndarray) -> Estimate:
    """The share of hits among what lists hold, with the interval by question.

    Args:
        on: The lists.
        hits: (N,) how many of each list hit.
        of: (N,) how many there are in each list.
        each: The weight of everything that is counted, one by one, for its effective number.
    """
    base = np.bincount(on.cluster, weights=on.weight * of)
    right = np.bincount(on.cluster, weights=on.weight * hits)
    return proportion(right, base, float(effective_number(each)))


UNCHECKED = "no annotator has edited or approved the list"
NONE_MADE = "the model found no entity"
NONE_RIGHT = "annotators left no entity in the list"
NEITHER = "neither the model nor annotators found an entity"


def match(made: Sequence[str], right: Sequence[str]) -> tuple[int, int, int]:
    """Return the number of entities in the model's list, in the annotators', and in both.

    An entity that a list names twice, under forms that it does not join, has one counterpart.
    """
    one, other = folded(made), folded(right)
    if not (one and other):
        return len(one), len(other), 0
    shared = csr_array([[bool(a & b) for b in other] for a in one])
    both = int((maximum_bipartite_matching(shared, perm_type="column") >= 0).sum())
    return len(one), len(other), both


def extraction_report(store: Store, panel: Panel) -> tuple[dict[str, Any], ...]:
    """Return a row for each kind of entity and model that made lists of them.

    Empty where the panel's units are no entities, or no model has made a list.

    Returns:
        `kind`, `maker`, the `lists` that `annotators` edited or approved, those `left_out` by
        reason, the entities `made` by the model, `right` by the annotators and in `both`, and the
        figures `precision`, `recall` and `f1`, undefined without such a list.
    """
    if panel.rubric.units not in ENTITIES:
        return ()
    rows = []
    for kind in ENTITIES:
        every = units.corrected_of_sheet(store, panel.sheet.id, kind)
        for maker in dict.fromkeys(one.maker for one in every):
            own = [one for one in every if one.maker == maker]
            name = panel.labels.get(maker) or graders.get(store, maker).label()
            rows.append({"kind": kind, "maker": name} | _figures(store, panel, own))
    return tuple(rows)


def table(rows: Iterable[Mapping[str, Any]]) -> Table:
    """Return precision, recall and F1 of each model's lists."""
    counts = {"made": "extracted", "right": "in annotators' lists", "both": "in both"}
    figures = {"precision": "precision", "recall": "recall", "f1": "F1"}
    parts = (
        ("entities", lambda row: KINDS[row["kind"]].plural),
        ("extracted by", "maker"),
        (Column("lists", "count"), "lists"),
        *(
            (Column(head, "count"), lambda row, key=key: row[key] if row["lists"] else None)
            for key, head in counts.items()
        ),
        *(
            (Column(head, "share", "extraction"), lambda row, key=key: row[key])
            for key, head in figures.items()
        ),
    )
    title = "Extracted entities compared with the lists that annotators edited or approved"
    return table_of("extraction", rows, parts, title)


def _figures(store: Store, panel: Panel, every: Sequence[CorrectedList]) -> dict[str, Any]:
    seen = [one for one in every if _speakers(panel, one)]
    on = list_weights(store, panel, *([one[column] for one in seen] for column in range(3)))
    counts = on.weight > 0
    kept = [one for one, does_count in zip(seen, counts, strict=True) if does_count]
    made, right, both = np.array([match(o.made, o.right) for o in kept], int).reshape(-1, 3).T
    whole = ListWeights(on.weight[counts], on.cluster[counts], on.left_out)
    return {
        "lists": len(kept),
        "annotators": len({person for one in kept for person in _speakers(panel, one)}),
        "left_out": dict(Counter({UNCHECKED: len(every) - len(seen)}) + on.left_out),
        "made": int(made.sum()),
        "right": int(right.sum()),
        "both": int(both.sum()),
        "precision": _share(whole, both, made, NONE_MADE),
        "recall": _share(whole, both, right, NONE_RIGHT),
        "f1": _share(whole, 2 * both, made + right, NEITHER),
    }


def _speakers(panel: Panel, one: CorrectedList) -> list[int]:
    """Return who edited or approved a list, without labelling annotators that do not count."""
    return [who for who in one.annotators if panel.lets_count(who)]


def _share(on: ListWeights, hits: np.ndarray, of: np.ndarray, why_none: str) -> Estimate:
    if not len(of):
        return undefined(UNCHECKED)
    if not of.sum():
        return undefined(why_none)
    return share(on, hits, of, np.repeat(on.weight, of))


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
        "extraction": extraction_report(store, panel),
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
        table(found["extraction"]),
        Table("lists", heads, (cells,) if cells[0] else (), "Errors of the lists"),
    )
