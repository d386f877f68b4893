"""Examples shown to a few-shot judge, and the rule that what they show is never scored."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

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


class Origin(NamedTuple):
    """The question an example or an item comes from: its normalised text's hash and its cluster."""

    text_hash: str
    cluster: str | None = None


def origin(item: Item) -> Origin:
    """Where an item comes from, for the leak guard."""
    return Origin(text_hash(item.question), item.cluster)


def rubric_origins(rubric: Rubric) -> tuple[Origin, ...]:
    """Where the rubric's own examples come from; they have no cluster."""
    levels = [level for criterion in rubric.criteria for level in criterion.levels]
    return tuple(Origin(text_hash(e.question)) for level in levels for e in level.examples)


def leaks(question: Origin, examples: Iterable[Origin]) -> bool:
    """Whether a judge that saw the examples must not be scored on the question.

    True for the same cluster, and for the same normalised text unless both have clusters and those
    differ; whatever the sheet or the answering model.
    """
    return any(_same(question, example) for example in examples)


def of_criterion(criterion: Criterion, per_score: int) -> list[tuple[int, Example]]:
    """The rubric's examples of a criterion with their scores, at most `per_score` of each score."""
    return [(level.score, e) for level in criterion.levels for e in level.examples[:per_score]]


def _same(question: Origin, example: Origin) -> bool:
    if question.cluster is not None and question.cluster == example.cluster:
        return True
    apart = None not in (question.cluster, example.cluster)
    return question.text_hash == example.text_hash and not apart
