"""Fixtures of the tests of workflow."""

import pytest

from concord.metrics.prompts import verdicts
from concord.model import Cell
from concord.store import graders, grades
from concord.store.grades import Press
from concord.store.rubrics import rubric_versions
from concord.store.units import units


@pytest.fixture
def grade(store, rubric):
    """Gives a grade of correctness: grade(kind, name, item, score); it failed without a score."""
    version = rubric[1].versions()["correctness"]

    def given(kind: str, name: str, item: int, score: int | None = 2) -> int:
        grader = graders.ensure(store, kind, name)
        grades.record(
            store, [Press(item, version, grader, "failed" if score is None else "scored", score)]
        )
        return grader

    return given


@pytest.fixture
def label_claims(store, sheet):
    """Two claims of the first answer and one of the second; label(kind, name, place, score)."""
    rubric = verdicts.rubric("claims-in-contexts")
    rubric_versions.register(store, rubric, "preset")
    version = rubric.version(rubric.criteria[0])
    maker = graders.ensure(store, "metric", "rag", "f" * 16)
    kept = [
        (item_id, unit.id)
        for item_id, count in ((1, 2), (2, 1))
        for unit in units.keep(
            store, item_id, "claim", [Cell(f"Claim {n}.", n) for n in range(count)], maker
        ).units
    ]

    def label(kind: str, name: str, place: int, status: str = "scored") -> None:
        score = 3 if status == "scored" else None
        item_id, unit_id = kept[place]
        grader = graders.ensure(store, kind, name, "f" * 16 if kind == "metric" else "")
        grades.record(store, [Press(item_id, version, grader, status, score, unit_id=unit_id)])

    return label
