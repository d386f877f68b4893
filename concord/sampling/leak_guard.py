"""Leak guard: the rule that excludes from scoring what judges were shown. Pure."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from concord.model import Item
from concord.rubrics.model import Rubric
from concord.text.normal_form import text_hash


class Origin(NamedTuple):
    """The question an example or an item comes from: its normalised text's hash and its cluster."""

    text_hash: str
    cluster: str | None = None


class ShownExamples:
    """The origins of all examples that judges were shown."""

    def __init__(self, origins: Iterable[Origin]):
        origins = list(origins)
        self._clusters = {origin.cluster for origin in origins} - {None}
        self._by_text: dict[str, set[str | None]] = {}
        for origin in origins:
            self._by_text.setdefault(origin.text_hash, set()).add(origin.cluster)

    def leaks(self, question: Origin) -> bool:
        """True where a judge that saw the examples must not be scored on the question.

        That is the same cluster, and for the same normalised text unless both have clusters and
        those differ; whatever the sheet or the answering model.
        """
        # The same wording in two clusters (“Summarise this.”) is two questions; without a cluster
        # nothing says so, and the guard excludes.
        clusters = self._by_text.get(question.text_hash, set())
        return question.cluster in self._clusters or bool(
            clusters if question.cluster is None else None in clusters
        )


def origin(item: Item) -> Origin:
    """Return the origin of an item."""
    return Origin(text_hash(item.question), item.cluster)


def rubric_origins(rubric: Rubric) -> tuple[Origin, ...]:
    """Return the origins of the rubric's own examples; they have no cluster."""
    levels = [level for criterion in rubric.criteria for level in criterion.levels]
    return tuple(Origin(text_hash(e.question)) for level in levels for e in level.examples)


def families(origins: Sequence[Origin]) -> list[int]:
    """The family of each question, as the place of its first member.

    A family is what the leak guard ties together, directly or through others: a cluster, and a
    text wherever one of the questions of that text has no cluster.
    """
    # As in `leaks`: the same text in different clusters is another question.
    loose = {origin.text_hash for origin in origins if origin.cluster is None}
    parent = list(range(len(origins)))
    first: dict[tuple[str, str], int] = {}
    for place, (text, cluster) in enumerate(origins):
        ties = [("text", text)] if text in loose else []
        ties += [("cluster", cluster)] if cluster is not None else []
        for tie in ties:
            one, other = _root(parent, place), _root(parent, first.setdefault(tie, place))
            # The smaller place is the root, so that a family is named by its first member.
            parent[max(one, other)] = min(one, other)
    return [_root(parent, place) for place in range(len(origins))]


def _root(parent: list[int], place: int) -> int:
    while parent[place] != place:
        # Path halving: thousands of questions of one cluster would else make a chain of as many.
        parent[place] = parent[parent[place]]
        place = parent[place]
    return place
