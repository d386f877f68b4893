"""Numbers of a judge, stored with another reading beside them."""

import json

from concord.store import graders, metric_values
from concord.store.grades import Press
from concord.store.metric_values import NewMetricValue

STRICT = {"metric": "faithfulness", "switches": {"support": "strict"}}


def give_number(store, item_id, value, lists, version="v1", body=STRICT):
    """A number of the judge `mine`, with what another reading gives beside it."""
    metric_values.register(store, body["metric"], version, json.dumps(body))
    mine = graders.ensure(store, "metric", "mine", "f1")
    press = Press(item_id, version, mine, score=value)
    metric_values.record(store, [NewMetricValue(press, {"lenient": 1.0}, (), 2, lists)])
