"""Examples shown to a few-shot judge, and the questions they come from."""

from collections.abc import Mapping
from typing import NamedTuple

from data.leak_guard import Origin
from data.model import Item, text_hash
from rubrics.model import Criterion, Example, Rubric


class Shot(NamedTuple):
    """A graded item as an example: `scores` and `reasons` by criterion name.

    `id` is the stored item, which the run records.
    """

    id: int | str
    item: Item
    scores: Mapping[str, int]
    reasons: Mapping[str, str]


def rubric_origins(rubric: Rubric) -> tuple[Origin, ...]:
    """Where the rubric's own examples come from; they have no cluster."""
    levels = [level for criterion in rubric.criteria for level in criterion.levels]
    return tuple(Origin(text_hash(e.question)) for level in levels for e in level.examples)


def of_criterion(criterion: Criterion, per_score: int) -> list[tuple[int, Example]]:
    """The rubric's examples of a criterion with their scores, at most `per_score` of each score."""
    return [(level.score, e) for level in criterion.levels for e in level.examples[:per_score]]
