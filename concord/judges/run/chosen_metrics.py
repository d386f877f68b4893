"""Chosen: a metric with its switches chosen, as a run is handed it, and its criterion version."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, NamedTuple

from concord.definitions import canonical_json, digest
from concord.judges.prompting.request import PLACEHOLDER
from concord.model import Context, Item

# An item that has everything any metric may need.
COMPLETE = PLACEHOLDER._replace(
    contexts=(Context("c1", "d1", "(context)", 1),),
    reference_contexts=("(document)",),
    turns=({"role": "user", "content": "(turn)"},),
    metadata={"relevant_ids": ["d1"], "rubric": {"0": "(meaning)", "1": "(meaning)"}},
)


class ChosenMetric(NamedTuple):
    """A metric with its switches chosen.

    `definition` is all that tells it from another metric, but for what it asks. `lacks` says in
    words what an item lacks for it. `find` finds it for an item at a session, as an outcome with
    value, status, reason, parts, flags and units; raises Undefined.
    """

    name: str
    title: str
    asks: bool
    embeds: bool
    definition: Mapping[str, Any]
    lacks: Callable[[Item], Sequence[str]]
    find: Callable[[Item, Any], Awaitable[Any]]

    def is_computed(self) -> bool:
        """True where it needs no API calls."""
        return not (self.asks or self.embeds)


class Choice(NamedTuple):
    """The metrics that a judge is to find; `prompts` is the hash of what all of them ask by."""

    metrics: tuple[ChosenMetric, ...]
    prompts: str


class Criterion(NamedTuple):
    """A metric as a criterion of grades: its version, and what that is the hash of."""

    version: str
    body: str


def criterion(metric: ChosenMetric, prompts: Sequence[Any]) -> Criterion:
    """A metric's criterion from what it asks about `COMPLETE`, request by request."""
    body = canonical_json({**metric.definition, "prompts": digest(list(prompts))})
    return Criterion(digest(body), body)
