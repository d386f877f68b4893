"""A small sheet whose claims a judge and annotators have judged, for the tests of the evidence."""

from concord.judges.metric_runs.stored_session import version
from concord.metrics.prompts import verdicts
from concord.model import Cell
from concord.rubrics.model import Rubric
from concord.store import grades
from concord.store.database import Store
from concord.store.grades import Press
from concord.store.units import units

RUBRIC = verdicts.rubric("claims-in-contexts")
LABELS = {level.score: level.label for level in RUBRIC.criteria[0].levels}


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
                quote=quote,
                reason=why,
            )
            for unit_id, score in scores.items()
        ],
    )
