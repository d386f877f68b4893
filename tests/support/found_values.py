"""Values of metrics that a judge has found."""

import json

from concord.store import metric_values
from concord.store.grades import Press
from concord.store.metric_values import NewMetricValue

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
