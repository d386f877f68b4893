"""The leak guard: the rule by which what judges were shown is never scored. Pure."""

from collections.abc import Iterable
from typing import NamedTuple

from data.model import Item, text_hash


class Origin(NamedTuple):
    """The question an example or an item comes from: its normalised text's hash and its cluster."""

    text_hash: str
    cluster: str | None = None


class Shown:
    """The origins of all examples that judges were shown."""

    def __init__(self, origins: Iterable[Origin]):
        origins = list(origins)
        self._clusters = {origin.cluster for origin in origins} - {None}
        self._by_text: dict[str, set[str | None]] = {}
        for origin in origins:
            self._by_text.setdefault(origin.text_hash, set()).add(origin.cluster)

    def leaks(self, question: Origin) -> bool:
        """Whether a judge that saw the examples must not be scored on the question.

        True for the same cluster, and for the same normalised text unless both have clusters and
        those differ; whatever the sheet or the answering model.
        """
        clusters = self._by_text.get(question.text_hash, set())
        return question.cluster in self._clusters or bool(
            clusters if question.cluster is None else None in clusters
        )


def origin(item: Item) -> Origin:
    """Where an item comes from."""
    return Origin(text_hash(item.question), item.cluster)
