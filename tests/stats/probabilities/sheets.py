"""Pairs by hand: a judge's scores, annotators' scores, and the question of each answer."""

import numpy as np

from concord.stats.core.pairs import Pairs


def pairs(annotator, judge=None, cluster=None, item=None) -> Pairs:
    """One row per grade; by default each of its own answer and question."""
    annotator = np.asarray(annotator)
    item = np.arange(len(annotator)) if item is None else np.asarray(item)
    cluster = item if cluster is None else np.asarray(cluster)
    judge = annotator if judge is None else np.asarray(judge)
    return Pairs(judge, annotator, 1 / np.bincount(item)[item], item, cluster)
