"""Examples shown to a few-shot judge."""

from collections.abc import Mapping
from typing import NamedTuple

from concord.model import Item
from concord.rubrics.model import Criterion, Example


class Shot(NamedTuple):
    """A graded item as an example: `scores` and `reasons` by criterion name.

    `id` is the stored item, which the run records.
    """

    id: int | str
    item: Item
    scores: Mapping[str, int]
    reasons: Mapping[str, str]


def of_criterion(criterion: Criterion, per_score: int) -> list[tuple[int, Example]]:
    """The rubric's examples of a criterion with their scores, at most `per_score` of each score."""
    return [(level.score, e) for level in criterion.levels for e in level.examples[:per_score]]
