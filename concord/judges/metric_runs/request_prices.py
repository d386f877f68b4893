"""Token and price estimates of metric requests. Pure."""

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any

from concord import clock
from concord.judges.definition import prices as definition_prices
from concord.judges.definition.judge_price import Request, price_of
from concord.judges.definition.model import Judge
from concord.judges.definition.prices import Band
from concord.judges.metric_runs import metric_request
from concord.judges.prompting.request import prompt_band, route

# About how many tokens an object in a reply takes (a reason, a quote, a label), and a text.
OBJECT_TOKENS, TEXT_TOKENS = Band(30, 150), Band(10, 60)


def chat(judge: Judge, ask: Any) -> Request:
    """An ask to a judge."""
    body = metric_request.body(judge, ask)
    return Request(judge, route(judge, body), prompt_band(body), _reply_tokens(ask.sample))


def embeddings(embedder: Judge, texts: Sequence[str]) -> Request:
    """A request for the vectors of some texts."""
    bands = [definition_prices.token_band(text) for text in texts]
    return Request(embedder, embedder.model, definition_prices.total(bands), Band(0, 0))


def cost(
    requests: Iterable[Request], scale: float, prices: Sequence[definition_prices.Price]
) -> tuple[Decimal, Decimal] | None:
    """Lower and upper USD of requests, so many times; None where a price is unknown."""
    by_model: dict[tuple[str, str], list[Request]] = defaultdict(list)
    for one in requests:
        by_model[one.judge.name, one.model].append(one)
    low = high = Decimal(0)
    for same in by_model.values():
        found = price_of(prices, same[0].judge, clock.today(), same[0].model)
        read = definition_prices.total((one.read for one in same), scale)
        written = definition_prices.total((one.written for one in same), scale)
        band = definition_prices.cost_band(definition_prices.Expected(read, written, False), found)
        if band is None:
            return None
        low, high = low + band[0], high + band[1]
    return low, high


def _reply_tokens(sample: Any) -> Band:
    """About how many tokens a reply of the form of a sample takes."""
    objects = json.dumps(sample).count("{") - 1
    texts = [value for value in sample.values() if isinstance(value, list)]
    plain = sum(not isinstance(one, dict) for value in texts for one in value)
    plain += sum(not isinstance(value, list) for value in sample.values())
    said = definition_prices.token_band(json.dumps(sample, ensure_ascii=False))
    return Band(
        objects * OBJECT_TOKENS.low + plain * TEXT_TOKENS.low,
        said.high + objects * OBJECT_TOKENS.high + plain * TEXT_TOKENS.high,
    )
