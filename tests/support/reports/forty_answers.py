"""Forty graded answers, and numbers of metrics that are near to their grades and far from them."""

import json

import numpy as np

from concord.store import graders, metric_values
from concord.store.grades import Press
from concord.store.metric_values import NewMetricValue

COUNT = 40
RNG = np.random.default_rng(3)
ANNOTATORS = RNG.integers(0, 4, COUNT)
NEAR = np.clip(ANNOTATORS / 3 + RNG.normal(0, 0.1, COUNT), 0, 1)
FAR = RNG.random(COUNT)


def found_by(store, name, values, judge="mine", parts=None, **definition):
    """Record numbers of a metric for the answers in order; the id of their judge."""
    version = f"v-{name}-{judge}"
    metric_values.register(store, name, version, json.dumps({"metric": name, "switches": {}}))
    mine = graders.ensure(store, "metric", judge, "f1", **definition)
    for item_id, value in enumerate(values, 1):
        press = Press(item_id, version, mine, score=float(value))
        metric_values.record(store, [NewMetricValue(press, parts or {}, (), 1, ())])
    return mine
