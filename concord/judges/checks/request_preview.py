"""Preview of the exact request a run would send for one item, and of each setting."""

import asyncio
import json
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from concord.judges.definition.model import Judge, Shot
from concord.judges.definition.prices import Band
from concord.judges.metric_results import ChosenMetric, Rehearsal, rehearsed
from concord.judges.prompting import metric_request
from concord.judges.prompting.request import messages, prompt_band, request, route
from concord.judges.prompting.request import settings as request_settings
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
