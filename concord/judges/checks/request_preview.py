"""Preview of the exact request a run would send for one item, and of each setting."""

import asyncio
import json
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from concord.judges.definition.model import Judge, Shot
from concord.judges.definition.prices import Band
from concord.judges.prompting import metric_request
from concord.judges.prompting.request import messages, prompt_band, request, route
from concord.judges.prompting.request import settings as request_settings
from concord.judges.run.chosen_metrics import ChosenMetric
from concord.judges.run.rehearsal import Rehearsal, rehearsed
from concord.model import Item
from concord.rubrics.model import Rubric


class Preview(NamedTuple):
    """One request, taken apart for reading.

    `rest` is the request without its messages, as JSON. `model` is the one that the prompt fits;
    None where it fits none and is not sent. `tokens` is the prompt's length, estimated.
    """

    messages: list[dict[str, str]]
    rest: str
    model: str | None
    tokens: Band

    def sentence(self) -> str:
        """Return the address of the request and its length, in words."""
        low, high = self.tokens
        to = self.model or "no model: the prompt fits none of this judge"
        return f"About {low:,} to {high:,} tokens, sent to {to}."


def preview(
    judge: Judge, rubric: Rubric, item: Item, part: str = "", shots: Sequence[Shot] = ()
) -> Preview:
    """The request for one item and part, as the runner makes it."""
    body = request(judge, rubric, item, part, shots)
    model = route(judge, body)
    rest = request_settings(body) | {"model": model}
    text = json.dumps(rest, ensure_ascii=False, indent=2)
    return Preview(messages(body), text, model, prompt_band(body))


def settings(judge: Judge) -> list[tuple[str, str]]:
    """Return the keys of the judge file with their values; what is left out is not sent."""
    unused = {"metric": {"prompt", "calls"}, "decision": {"prompt", "output"}}.get(
        judge.kind, set()
    )
    given = judge.model_dump(
        mode="json", exclude_none=True, exclude={"name", "kind", "fit", *unused}
    )
    given |= given.pop("endpoint", {}) | {"reading": judge.reading_rule()}
    # That of a decision model with its path, which the dialect decides.
    url = judge.address() if judge.kind == "decision" else judge.url()
    given["url"] = url if judge.model else "none"
    return [(key, spoken(value)) for key, value in given.items() if value not in ({}, False, None)]


def spoken(value: Any) -> str:
    """A value as it is shown: a text as it is, anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


class PreviewedRequest(NamedTuple):
    """One request: what it is for, and its messages. Parts that a model finds are made up."""

    name: str
    messages: list[dict[str, str]]


def requests(judge: Judge, metrics: Iterable[ChosenMetric], item: Item) -> list[PreviewedRequest]:
    """Return the requests for an item without any stored replies."""
    able = [metric for metric in metrics if not metric.lacks(item)]
    found = asyncio.run(rehearsed(able, item, Rehearsal()))
    return [
        PreviewedRequest(ask.name, metric_request.body(judge, ask)["messages"])
        for ask in found.asks
    ]
