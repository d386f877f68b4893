"""Fixtures of the tests of metrics.

Values of metrics that a judge has found.
"""

import json

import numpy as np
import pytest

from concord.store import additions, graders, metric_values
from concord.store.grades import Press
from concord.store.metric_values import NewMetricValue
from concord.store.rubrics import rubric_versions
from tests.support.made_items import made_item
from tests.support.measured_sets import give
from tests.support.panels import give as grade

COUNT = 36


def found(store, grader, name, switches, values):
    body = json.dumps({"metric": name, "switches": switches})
    metric_values.register(store, name, f"v-{name}", body)
    for item_id, value in enumerate(values, 1):
        press = Press(item_id, f"v-{name}", grader, score=value, reason="So.")
        beside = {"strict": value, "lenient": 0.9}
        metric_values.record(
            store, [NewMetricValue(press, beside, ("odd",) if item_id == 1 else (), 5, ())]
        )


@pytest.fixture
def tea(store):
    """Sixty answers of two answering models with two metrics."""
    made = [made_item(n, m) for n in range(30) for m in ("atlas", "birch")]
    sheet = additions.add(store, "tea", made, "t.csv", "1" * 64, {})
    values = np.random.default_rng(1).uniform(size=60)
    give(store, sheet.id, "vera_faithfulness", np.round(values))
    give(store, sheet.id, "faithfulness", values)
    return sheet


@pytest.fixture
def measured_db(store):
    """36 answers by two models; faithfulness rises with Ana's grades and is .9 under `lenient`."""
    made = [made_item(n // 2, "atlas" if n % 2 else "birch") for n in range(COUNT)]
    sheet = additions.add(store, "many", made, "m.csv", "6" * 64, {})
    _, rubric = rubric_versions.named(store, "doc-qa-0-3")
    grade(store, rubric, "Ana", {n: n % 4 for n in range(COUNT)})
    mine = graders.ensure(store, "metric", "mine", "f1")
    found(store, mine, "faithfulness", {"support": "strict"}, [n % 4 / 4 for n in range(COUNT)])
    found(store, mine, "document_precision", {}, [n % 3 / 3 for n in range(COUNT)])
    return store.path, sheet
