"""Weights of answers for statistics of whole lists of units.

An answer without a single unit is not in the panel, but its empty list is a result all the same.
"""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from concord.messages import said
from concord.reports.panel.panel import IN_HELD_OUT_TEST, LEAKED, Panel
from concord.sampling import splits
from concord.stats.core.estimate import Estimate
from concord.stats.core.tables import effective_number
from concord.stats.intervals.wilson import proportion
from concord.store.database import Store

UNKNOWN = said("the inclusion probability of its answer is unknown")


class ListWeights(NamedTuple):
    """Weight of each list, 0 where it does not count, and the index of its cluster.

    `left_out` counts those that do not count, by reason.
    """

    weight: np.ndarray
    cluster: np.ndarray
    left_out: Counter


def ground(
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
