"""A small sheet whose claims a judge and annotators have judged, for the tests of the evidence.

Verdicts on units that go out and come in again: their rubrics, and a query for them.

Numbers of a judge, stored with another reading beside them.

The rubric and the kind of units of lists of entities.
"""

import json

from concord.judges.metric_results import version
from concord.metrics.prompts import verdicts
from concord.model import Cell
from concord.rubrics.model import Rubric, of_units
from concord.store import graders, grades, metric_values
from concord.store.database import Store
from concord.store.grades import Press
from concord.store.metric_values import NewMetricValue
from concord.store.units import units
from concord.text import marked_passages
from concord.text.marked_passages import Passage

RUBRIC = verdicts.rubric("claims-in-contexts")


def cut(store: Store, item_id: int, *claims: str, by: int | None = None) -> list[int]:
    """Claims of an answer; their ids."""
    cells = [Cell(text, place) for place, text in enumerate(claims)]
    return [unit.id for unit in units.keep(store, item_id, "claim", cells, by).units]


def say(
    store: Store,
    item_id: int,
    grader: int,
    scores: dict[int, int],
    quote: str = "",
    why: str = "",
    rubric: Rubric = RUBRIC,
    marked: tuple[Passage, ...] = (),
) -> None:
    """A grader's verdicts on claims, by unit id."""
    labels = {level.score: level.label for level in rubric.criteria[0].levels}
    grades.record(
        store,
        [
            Press(
                item_id,
                version(rubric),
                grader,
                score=score,
                label=labels[score],
                unit_id=unit_id,
                quote=quote or marked_passages.quoted(marked),
                marked_passages=marked_passages.stored(marked),
                reason=why,
            )
            for unit_id, score in scores.items()
        ],
    )


def number(store: Store, grader: int, item_id: int, value: float, lists=()) -> None:
    """A judge's faithfulness of an answer."""
    body = {"metric": "faithfulness", "switches": {"support": "strict"}}
    metric_values.register(store, "faithfulness", "v1", json.dumps(body))
    press = Press(item_id, "v1", grader, score=value, reason="1 of 2 claims are supported.")
    parts = {"strict": value, "lenient": 1.0, "contradicted": 0.0}
    metric_values.record(store, [NewMetricValue(press, parts, ("odd",), 2, lists)])


PER_ITEM = 2

CLAIMS = of_units()["claims-in-contexts"]
CLAIM_VERSION = CLAIMS.version(CLAIMS.criteria[0])
PAIRS = of_units()["claims-in-chunk"]
HELD = (
    "select i.own_id, u.text, u.position, g.version, r.kind, g.status, g.score, g.label, g.blind"
    " from grades g join items i on i.id = g.item_id join units u on u.id = g.unit_id"
    " join graders r on r.id = g.grader_id order by 1, 3, 2, 4"
)


STRICT = {"metric": "faithfulness", "switches": {"support": "strict"}}


def give_number(store, item_id, value, lists, version="v1", body=STRICT):
    """A number of the judge `mine`, with what another reading gives beside it."""
    metric_values.register(store, body["metric"], version, json.dumps(body))
    mine = graders.ensure(store, "metric", "mine", "f1")
    press = Press(item_id, version, mine, score=value)
    metric_values.record(store, [NewMetricValue(press, {"lenient": 1.0}, (), 2, lists)])
