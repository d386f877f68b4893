"""Extraction: agreement of the entities that a model found with the lists annotators corrected.

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

from concord.metrics.prompts.unit_kinds import KINDS
from concord.model import ENTITIES
from concord.reports.document import Column, Table, table_of
from concord.reports.panel.panel import IN_HELD_OUT_TEST, LEAKED, Panel
from concord.sampling import splits
from concord.stats.core.estimate import Estimate, undefined
from concord.stats.core.tables import effective_number
from concord.stats.intervals.wilson import proportion
from concord.store import graders
from concord.store.database import Store
from concord.store.units import units
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


def report(store: Store, panel: Panel) -> tuple[dict[str, Any], ...]:
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
        ("extracted by", lambda row: row["maker"]),
        (Column("lists", "count"), lambda row: row["lists"]),
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
