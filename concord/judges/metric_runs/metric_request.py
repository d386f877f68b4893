"""Requests of a metric as requests of a judge, what they take, and the parsing of replies. Pure."""

import json
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from concord.definitions import digest
from concord.judges.definition.judge_price import Request
from concord.judges.definition.model import Judge
from concord.judges.definition.prices import Band, token_band, total
from concord.judges.metric_runs.undefined import Undefined, Unreadable
from concord.judges.prompting.prompt import chat
from concord.judges.prompting.reply import objects
from concord.judges.prompting.request import body as with_settings
from concord.judges.prompting.request import prompt_band, route
from concord.judges.prompting.verdict import Verdict

# About how many tokens an object in a reply takes (a reason, a quote, a label), and a text.
OBJECT_TOKENS, TEXT_TOKENS = Band(30, 150), Band(10, 60)


def texts(ask: Any) -> list[Any]:
    """Return all that a request sends: messages, reply format, and the number of the vote."""
    return [ask.system, ask.user, ask.schema(), ask.vote]


def part(ask: Any) -> str:
    """Return the identity of a request, 16 hex digits: it is sent once per judge and repeat."""
    return digest(texts(ask))


def body(judge: Judge, ask: Any) -> dict[str, Any]:
    """The request under the judge's settings and output mode."""
    return with_settings(judge, chat(judge, ask.system, ask.user), ask.schema())


def chat_estimate(judge: Judge, ask: Any) -> Request:
    """The model and the tokens of a request."""
    sent = body(judge, ask)
    return Request(judge, route(judge, sent), prompt_band(sent), _reply_tokens(ask.sample))


def embedding_estimate(embedder: Judge, texts: Sequence[str]) -> Request:
    """The model and the tokens of a request for the vectors of some texts."""
    bands = [token_band(text) for text in texts]
    return Request(embedder, embedder.model, total(bands), Band(0, 0))


def read(completion: Any, ask: Any) -> Any:
    """Return the parsed completion; Undefined where it is unusable.

    It must contain exactly one object: of two, either may be an echo of the reply format.
    """
    found = objects(completion)
    if isinstance(found, Verdict):
        raise Undefined(found.status, found.why)
    if len(found) != 1:
        raise Undefined("unparsable", "The reply holds {n} objects, and not one.", n=len(found))
    try:
        return ask.read(_plain(found[0]))
    except Unreadable as error:
        raise Undefined("unparsable", str(error)) from None


def _plain(value: Any) -> Any:
    """The value with numbers as Python has them: whole ones as integers."""
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    return [_plain(inner) for inner in value] if isinstance(value, list) else value


def _reply_tokens(sample: Any) -> Band:
    """About how many tokens a reply of the form of a sample takes."""
    objects = json.dumps(sample).count("{") - 1
    texts = [value for value in sample.values() if isinstance(value, list)]
    plain = sum(not isinstance(one, dict) for value in texts for one in value)
    plain += sum(not isinstance(value, list) for value in sample.values())
    said = token_band(json.dumps(sample, ensure_ascii=False))
    return Band(
        objects * OBJECT_TOKENS.low + plain * TEXT_TOKENS.low,
        said.high + objects * OBJECT_TOKENS.high + plain * TEXT_TOKENS.high,
    )
