"""Similarity baseline: a similarity metric compared with texts of other questions.

A cosine has no scale of its own: with some embedding models any two questions of a domain have .8.
So it is shown with the similarity of unrelated texts, from vectors that are stored already.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from concord.judges.definition.registry import stored
from concord.messages import joined, said
from concord.reports.metrics.metric_mean import indexed
from concord.reports.metrics.metric_records import Readings, Record
from concord.stats.comparison.similarity_baseline import Unrelated, unrelated
from concord.store import graders, items, vectors
from concord.store.database import Store
from concord.store.sheets import Sheet

# Metric -> the texts that are alike by chance, and the part that holds the bare likeness.
HELD = {
    "response_relevancy": ("question", "never"),
    "vera_answer_relevance": ("question", "never"),
    "semantic_similarity": ("reference", ""),
}


def of_sheet(store: Store, sheet: Sheet, metric: str, grader_id: int) -> Unrelated | None:
    """Return the similarity between the sheet's questions (or references) of different clusters.

    None for a metric that is not a similarity, and where fewer than two texts have a vector.
    """
    judge = stored(graders.get(store, grader_id)) if metric in HELD else None
    if judge is None or judge.embedding is None:
        return None
    texts = items.texts(store, sheet.id, HELD[metric][0])
    found = vectors.of(store, judge.embedding.identity(), list(texts))
    if len(found) < 2:
        return None
    return unrelated(np.array(list(found.values())), indexed(texts[text] for text in found))


def likeness(one: Record) -> float | None:
    """The bare cosine of a record of such a metric, whether or not the answer avoids answering."""
    part = HELD[one.metric][1]
    return one.parts.get(part, one.value) if part else one.value


def figures(null: Unrelated, readings: Readings, row: Mapping[str, Any]) -> dict[str, Any]:
    """Compare the values of one row of the report with the null distribution.

    Returns:
        `texts`, `pairs`, the quantiles `low`, `middle` and `high` (5, 50 and 95 percent), and
        `auc`, the probability that an answer's similarity is above that of an unrelated pair.
    """
    same = row["judge"], row["metric"]
    mine = [one for one in readings.records if (one.judge, one.metric) == same]
    values = [likeness(one) for one in mine if one.repeat == 1]
    known = [value for value in values if value is not None]
    low, middle, high = null.quantiles()
    return {
        "texts": null.texts,
        "pairs": len(null.cosines),
        "low": low,
        "middle": middle,
        "high": high,
        "auc": null.auc(known) if known else None,
    }


def cuts(
    readings: Readings, null_of: Callable[[str, int], Unrelated | None]
) -> dict[tuple[str, str], float]:
    """Return the value below which a similarity is that of unrelated texts, by (judge, metric).

    It is the 95th percentile of unrelated pairs; `null_of` returns the null distribution of a
    metric by a grader. Those without one are left out.
    """
    graders_of = {(o.judge, o.metric): o.grader_id for o in readings.records if o.metric in HELD}
    nulls = {key: null_of(key[1], grader_id) for key, grader_id in graders_of.items()}
    return {key: null.quantiles()[-1] for key, null in nulls.items() if null}


def sentence(found: Mapping[str, Any], metric: str) -> str:
    """The null distribution in words."""
    pair = said(
        "Two unrelated questions of this sheet come to {middle:.2f} (9 in 10 pairs between "
        "{low:.2f} and {high:.2f}; {texts:,} texts)."
        if HELD[metric][0] == "question"
        else "Two unrelated references of this sheet come to {middle:.2f} (9 in 10 pairs between "
        "{low:.2f} and {high:.2f}; {texts:,} texts).",
        **{key: found[key] for key in ("middle", "low", "high", "texts")},
    )
    if found["auc"] is None:
        return pair
    above = said(
        "An answer's number is above such a pair in {percent:.0f}% of cases.",
        percent=100 * found["auc"],
    )
    return joined(" ", [pair, above])
