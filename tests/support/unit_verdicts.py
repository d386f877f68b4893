"""Verdicts on units that go out and come in again: their rubrics, and a query for them."""

from concord.rubrics.model import of_units

PER_ITEM = 2

CLAIMS = of_units()["claims-in-contexts"]
CLAIM_VERSION = CLAIMS.version(CLAIMS.criteria[0])
PAIRS = of_units()["claims-in-chunk"]
HELD = (
    "select i.own_id, u.text, u.position, g.version, r.kind, g.status, g.score, g.label, g.blind"
    " from grades g join items i on i.id = g.item_id join units u on u.id = g.unit_id"
    " join graders r on r.id = g.grader_id order by 1, 3, 2, 4"
)
