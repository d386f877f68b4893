"""A sheet of 5,000 answers, made by rule: four models answered 1,250 questions.

Ana and Ben graded every answer on three criteria, as the judges `close` and `far` did; one question
in five is about `pumps`, and every answer has a value of faithfulness.
"""

import json

from concord.clock import now
from concord.store import additions, graders, items, metric_values
from concord.store.database import Store
from concord.store.grades import Press
from concord.store.metric_values import NewMetricValue
from concord.store.rubrics import rubric_versions
from tests.support.made_items import made_item

NAME, QUESTIONS, MODELS = "large", 1250, ("atlas", "birch", "cobalt", "dune")
ANSWERS = QUESTIONS * len(MODELS)
# Who is one point off the truth on every so-manieth answer.
GRADERS = {("person", "Ana"): 11, ("person", "Ben"): 7, ("judge", "close"): 9, ("judge", "far"): 3}
_COLUMNS = ("item_id", "version", "grader_id", "status", "score", "reason", "blind", "created_at")


def fill(store: Store) -> None:
    """Add the sheet with its grades to a database."""
    made = [
        made_item(n, model, metadata={"set": "valves" if n % 5 else "pumps"})
        for n in range(QUESTIONS)
        for model in MODELS
    ]
    sheet = additions.add(store, NAME, made, "large.csv", "0" * 64, {})
    ids = items.item_ids(store, sheet.id)
    versions = [*rubric_versions.named(store, "doc-qa-0-3")[1].versions().values()]
    moment = now()
    with store.write():
        for (kind, name), every in GRADERS.items():
            grader = graders.ensure(store, kind, name, "" if kind == "person" else name)
            rows = [
                (*(item, version, grader, "scored"), _score(n + k, every), "So it is.", 1, moment)
                for n, item in enumerate(ids)
                for k, version in enumerate(versions)
            ]
            store.insert_many("grades", _COLUMNS, rows)
    body = {"metric": "faithfulness", "switches": {"support": "strict"}}
    metric_values.register(store, "faithfulness", "v1", json.dumps(body))
    mine = graders.ensure(store, "metric", "mine", "f1")
    values = [Press(item, "v1", mine, score=n % 4 / 3) for n, item in enumerate(ids)]
    metric_values.record(store, [NewMetricValue(one) for one in values])


def _score(place: int, every: int) -> int:
    """Mostly 3, less often 2 and seldom 1 or 0."""
    truth = (3, 2, 3, 3, 1, 3, 2, 0)[place * 7 % 8]
    return truth if place % every else truth + (1 if truth < 3 else -1)
