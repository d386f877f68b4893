"""Unit agreement: the figures of graders of units beyond the agreement rows.

Per answer the agreement of a metric; errors of the lists of units; and extraction, the entities
that a model found compared with the lists that annotators corrected. Precision and recall of the
failing verdict on units are in the rows.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

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
NO_LIST = "no annotator has checked a list yet"
UNCHECKED = "no annotator has edited or approved the list"
NOT_LABELLED = "not fully labelled by the annotator"
NO_VERDICTS = "without all of the judge's verdicts"


def report(store: Store, panel: Panel) -> dict[str, Any] | None:
    """Return what is said of units beyond the rows; None for a rubric of whole answers."""
    if not panel.rubric.units:
        return None
    return {
        "by_answer": by_answer(store, panel),
        "lists": lists(store, panel),
        "extraction": extraction(store, panel),
    }


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


def lists(store: Store, panel: Panel) -> dict[str, int | Estimate]:
    """Return the shares of checked lists with missing, invented or non-atomic units.

    A list checked by several annotators counts once, shared by them. `any` is the share with at
    least one error; `cannot_say` counts checks that an annotator could not make.
    """
    found = list_checks.of_sheet(store, panel.sheet.id, panel.rubric.units)
    found = found[found["person"].map(panel.lets_count).astype(bool)].reset_index(drop=True)
    weight, place, _ = _weights(
        store, panel, found["item_id"], found["question_id"], found["cluster"]
    )
    found = found.assign(weight=weight, place=place)[weight > 0]
    labelled = found[found["label"].notna()]
    of_item = labelled.groupby("item_id")
    weight = (labelled["weight"] / of_item["person"].transform("count")).to_numpy()
    each = of_item["weight"].first().to_numpy()
    place = np.unique(labelled["place"], return_inverse=True)[1]
    errors = labelled["label"].map(lambda label: label.split(", "))
    shares = {}
    for name in (*list_check.ERRORS, "any"):
        hit = errors.map(lambda told, name=name: name in told)
        hit = (labelled["label"] != list_check.RIGHT if name == "any" else hit).to_numpy(bool)
        every = np.ones(len(labelled))
        known = _share(weight, place, hit, every, each) if len(hit) else undefined(NO_LIST)
        shares[name.replace(" ", "_")] = known
    return {
        "lists": int(labelled["item_id"].nunique()),
        "annotators": int(labelled["person"].nunique()),
        "cannot_say": len(found) - len(labelled),
        **shares,
    }


def extraction(store: Store, panel: Panel) -> list[dict[str, Any]]:
    """Return a row for each kind of entity and model that made lists of them.

    Entries that share a form are one entity. Precision is the share of the model's entities with a
    counterpart among the annotators', recall that of the annotators', and F1 that of both lists
    together, their harmonic mean. All lists are counted together, so a long list says more than a
    short one. Empty where the panel's units are no entities, or no model has made a list.

    Returns:
        `kind`, `maker`, the `lists` that `annotators` edited or approved, those `left_out` by
        reason, the entities `made` by the model, `right` by the annotators and in `both`, and the
        figures `precision`, `recall` and `f1`, undefined without such a list.
    """
    rows = []
    for kind in ENTITIES if panel.rubric.units in ENTITIES else ():
        every = units.corrected_of_sheet(store, panel.sheet.id, kind)
        for maker in dict.fromkeys(one.maker for one in every):
            own = [one for one in every if one.maker == maker]
            name = panel.labels.get(maker) or graders.get(store, maker).label()
            rows.append({"kind": kind, "maker": name} | _extracted(store, panel, own))
    return rows


def _extracted(store: Store, panel: Panel, every: Sequence[CorrectedList]) -> dict[str, Any]:
    # Who edited or approved a list, without annotators that do not count.
    people = [{who for who in one.annotators if panel.lets_count(who)} for one in every]
    seen = [(one, own) for one, own in zip(every, people, strict=True) if own]
    weight, place, left_out = _weights(
        store, panel, *([one[column] for one, _ in seen] for column in range(3))
    )
    counts = weight > 0
    kept = [one for one, does_count in zip(seen, counts, strict=True) if does_count]
    found = [match(one.made, one.right) for one, _ in kept]
    made, right, both = np.array(found, int).reshape(-1, 3).T
    weight, place = weight[counts], place[counts]

    def share(hits: np.ndarray, of: np.ndarray, none: str) -> Estimate:
        if not of.sum():
            return undefined(none if len(of) else UNCHECKED)
        return _share(weight, place, hits, of, np.repeat(weight, of))

    neither = "neither the model nor annotators found an entity"
    return {
        "lists": len(kept),
        "annotators": len({person for _, own in kept for person in own}),
        "left_out": dict(Counter({UNCHECKED: len(every) - len(seen)}) + left_out),
        "made": int(made.sum()),
        "right": int(right.sum()),
        "both": int(both.sum()),
        "precision": share(both, made, "the model found no entity"),
        "recall": share(both, right, "annotators left no entity in the list"),
        "f1": share(2 * both, made + right, neither),
    }


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


def _weights(
    store: Store,
    panel: Panel,
    item_ids: Sequence[int],
    question_ids: Sequence[int],
    clusters: Sequence[str | None],
) -> tuple[np.ndarray, np.ndarray, Counter]:
    """Return the weight of each list, 0 where it does not count, its cluster, and why not.

    The last counts those that do not count, by reason.
    """
    known = dict(zip(panel.items["item_id"].tolist(), panel.weight.tolist(), strict=True))
    held_out, leaked = splits.held_out(store, panel.sheet.id), splits.leaked(store, panel.sheet.id)
    weight, named, left_out = [], [], Counter()
    for item_id, question_id, cluster in zip(item_ids, question_ids, clusters, strict=True):
        own = known.get(item_id, 0.0 if panel.reweighted else 1.0)
        why = IN_HELD_OUT_TEST if question_id in held_out else UNKNOWN if own == 0 else ""
        why = LEAKED if question_id in leaked else why
        left_out.update([why] if why else [])
        weight.append(0.0 if why else own)
        named.append(f"question {question_id}" if pd.isna(cluster) else f"cluster {cluster}")
    place = np.unique(named, return_inverse=True)[1] if named else np.zeros(0, int)
    return np.array(weight, float), place, left_out


def _share(
    weight: np.ndarray, place: np.ndarray, hits: np.ndarray, of: np.ndarray, each: np.ndarray
) -> Estimate:
    """Return the share of hits among what lists hold, with the interval by question.

    Args:
        weight: (N,) of each list.
        place: (N,) the cluster of each list.
        hits: (N,) how many of each list hit.
        of: (N,) how many there are in each list.
        each: The weight of everything that is counted, one by one, for its effective number.
    """
    base = np.bincount(place, weights=weight * of)
    right = np.bincount(place, weights=weight * hits)
    return proportion(right, base, float(effective_number(each)))


def table(rows: Iterable[Mapping[str, Any]]) -> Table:
    """Return precision, recall and F1 of each model's lists."""
    counts = {"made": "extracted", "right": "in annotators' lists", "both": "in both"}
    parts = (
        ("entities", lambda row: KINDS[row["kind"]].plural),
        ("extracted by", "maker"),
        (Column("lists", "count"), "lists"),
        *(
            (Column(head, "count"), lambda row, key=key: row[key] if row["lists"] else None)
            for key, head in counts.items()
        ),
        *(
            (Column(one, "share", "extraction"), one.lower())
            for one in ("precision", "recall", "F1")
        ),
    )
    title = "Extracted entities compared with the lists that annotators edited or approved"
    return table_of("extraction", rows, parts, title)


def tables(found: Mapping[str, Any]) -> tuple[Table, ...]:
    """Return metrics per answer, the lists that a model made, and their errors."""
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
        table(found["extraction"]),
        table_of("lists", lists, checked, "Errors of the lists"),
    )
