"""Similarity baseline: how similar unrelated texts of a sheet are, to read a similarity by.

A cosine has no scale of its own: with some embedding models any two questions of a domain have one
of .8. The baseline comes from the vectors that a run has stored.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from concord.judges.definition.registry import stored
from concord.model import Sheet
from concord.reports.metrics.metric_records import Readings, Record, indexed
from concord.reports.metrics.metrics import MetricValues, of_row
from concord.stats.baselines import Unrelated, unrelated
from concord.store import graders, items, vectors
from concord.store.database import Store

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


def bare_similarity(one: Record) -> float | None:
    """The bare cosine of a record of such a metric, whether or not the answer avoids answering."""
    part = HELD[one.metric][1]
    return one.parts.get(part, one.value) if part else one.value


@dataclass(frozen=True)
class SimilarityBaseline:
    """Similarity of unrelated texts of a sheet by one judge, and what its values add to that.

    Attributes:
        texts: How many questions or references were compared.
        pairs: How many pairs of different clusters they make.
        low: The 5th percentile of their cosines.
        middle: The median.
        high: The 95th percentile.
        auc: The probability that an answer's similarity is above that of an unrelated pair, 0 to
            1; None without values.
    """

    texts: int
    pairs: int
    low: float
    middle: float
    high: float
    auc: float | None


def compared(null: Unrelated, readings: Readings, row: MetricValues) -> SimilarityBaseline:
    """Compare the values of a row with the null distribution."""
    values = [bare_similarity(one) for one in of_row(readings.records, row)]
    known = [value for value in values if value is not None]
    auc = null.auc(known) if known else None
    return SimilarityBaseline(null.texts, len(null.cosines), *null.quantiles(), auc)


def thresholds(
    readings: Readings, null_of: Callable[[str, int], Unrelated | None]
) -> dict[tuple[str, str], float]:
    """Return the value below which a similarity is that of unrelated texts, by (judge, metric).

    It is the 95th percentile of unrelated pairs; `null_of` returns the null distribution of a
    metric by a grader. Those without one are left out.
    """
    graders_of = {(o.judge, o.metric): o.grader_id for o in readings.records if o.metric in HELD}
    nulls = {key: null_of(key[1], grader_id) for key, grader_id in graders_of.items()}
    return {key: null.quantiles()[-1] for key, null in nulls.items() if null}
