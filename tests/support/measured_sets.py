"""Small sheets with numbers of metrics on them, for the tests of the reports over metrics.

Forty graded answers, and numbers of metrics that are near to their grades and far from them.
"""

import json

import numpy as np

from concord.store import graders, items, metric_values
from concord.store.database import Store
from concord.store.grades import Press
from concord.store.metric_values import NewMetricValue

VERA = ("vera_faithfulness", "vera_retrieval_recall")


def give(
    store: Store, sheet_id: int, metric: str, values, repeat: int = 1, judge: str = "mine"
) -> None:
    """A judge's numbers for the answers of a sheet in their order; None for refused."""
    version = f"{metric}-v1"
    metric_values.register(store, metric, version, json.dumps({"switches": {}}))
    grader = graders.ensure(store, "metric", judge)
    for item_id, value in zip(items.item_ids(store, sheet_id), values, strict=False):
        said = (
            {"status": "refused"} if value is None else {"status": "scored", "score": float(value)}
        )
        metric_values.record(
            store, [NewMetricValue(Press(item_id, version, grader, repeat=repeat, **said))]
        )


def give_faithfulness(store, version, *said, repeat=1, prompts="a", **press):
    """A judge's numbers under one version for the answers in their order; None for refused."""
    body = {"metric": "faithfulness", "switches": {"support": "strict"}, "prompts": prompts}
    metric_values.register(store, "faithfulness", version, json.dumps(body))
    mine = graders.ensure(store, "metric", "mine", "f1")
    for item_id, value in enumerate(said, 1):
        status = (
            {"status": "scored", "score": value} if value is not None else {"status": "refused"}
        )
        made = Press(item_id, version, mine, repeat=repeat, **{**status, **press})
        metric_values.record(store, [NewMetricValue(made, {"lenient": value}, ("odd",), 2, (1,))])


def spread(seed, n=60):
    return np.random.default_rng(seed).uniform(size=n)


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
