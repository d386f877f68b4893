"""Requests of a metric as requests of a judge, what they take, and the parsing of replies. Pure."""

import json
import math
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from concord.definitions import digest
from concord.judges.definition.model import Judge
from concord.judges.definition.prices import Band, PricedRequest, token_band, total
from concord.judges.prompting.prompt import chat
from concord.judges.prompting.reply import Verdict, objects
from concord.judges.prompting.request import body as with_settings
from concord.judges.prompting.request import prompt_band, route, to_larger
from concord.messages import said

# The status of a value that was not requested; it is never stored.
NOT_ASKED = "not_asked"
NOT_LABELLED = "This annotator has not labelled all of it."


class Undefined(Exception):
    """A metric has no value for an item: `status` of grades, and the reason in one sentence.

    The reason is a message like that of `said`, with `values`.
    """

    def __init__(self, status: str, reason: str, /, **values: Any):
        self.status, self.reason = status, said(reason, **values)
        super().__init__(self.reason)


class Unreadable(ValueError):
    """An unusable reply; the message says why in one sentence."""


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


def next_body(
    judge: Judge, body: dict[str, Any], status: str, why: str = ""
) -> dict[str, Any] | None:
    """The request as it is asked again, to a larger model or with twice the room; None for not."""
    if status in ("failed", "refused") or getattr(why, "code", None) == "in_reasoning":
        return None
    if status == "too_long":
        return to_larger(judge, body)
    room = judge.endpoint.max_tokens_field
    return body | {room: 2 * body[room]} if status == "truncated" and room in body else body


def fingerprint(judge: Judge, prompts: str) -> str:
    """Return the identity of a judge for metrics: 16 hex digits, '' where it makes no API calls.

    The hash of its settings, endpoints and the prompts common to all metrics. Its metrics and their
    switches are not included: those are criteria of their own. `prompts` is the hash of what all
    of them ask by.
    """
    if judge.model is None and judge.embedding is None:
        return ""
    messages = [{"role": judge.endpoint.system_role, "content": "(instructions)"}]
    return digest(
        {
            "request": with_settings(judge, messages, {}),
            "prompts": prompts,
            "larger": judge.larger and judge.larger.model,
            "context_tokens": judge.context_tokens if judge.larger else None,
            "headers": judge.extra_headers,
            "endpoint": judge.url() if judge.model else "",
            "embedding": judge.embedding.identity() if judge.embedding else "",
        }
    )


def chat_estimate(judge: Judge, ask: Any) -> PricedRequest:
    """The model and the tokens of a request."""
    sent = body(judge, ask)
    return PricedRequest(judge, route(judge, sent), prompt_band(sent), _reply_tokens(ask.sample))


def embedding_estimate(embedder: Judge, texts: Sequence[str]) -> PricedRequest:
    """The model and the tokens of a request for the vectors of some texts."""
    bands = [token_band(text) for text in texts]
    return PricedRequest(embedder, embedder.model, total(bands), Band(0, 0))


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


EMBEDDINGS_PATH = "/embeddings"

Vector = tuple[float, ...]


def embedder(judge: Judge) -> Judge | None:
    """The judge's embedding model as something that can be connected to; None where it has none."""
    if getattr(judge, "embedding", None) is None:
        return None
    lines = judge._text.splitlines()
    header = next((n for n, line in enumerate(lines) if line.strip() == "[embedding]"), 0)
    asked = {
        "name": f"{judge.name}-embedding",
        "model": judge.embedding.model,
        "endpoint": judge.embedding.endpoint(),
        "price": judge.embedding.price,
        "extra_headers": {},
    }
    found = judge.model_copy(update=asked)
    found._text = "\n".join(["" if n < header else line for n, line in enumerate(lines)])
    return found


def no_model() -> Undefined:
    """Why nothing can be embedded by a judge without an embedding model."""
    return Undefined("missing_input", "There is no embedding model.")


def embedding_body(asked: Judge, texts: Sequence[str]) -> dict[str, Any]:
    """The request for the vectors of some texts."""
    return {"input": list(texts), "model": asked.model}  # `runs` tells it by its first key


def vectors_of(reply: Any, count: int, length: int | None) -> list[Vector]:
    """The vectors of so many texts, in their order; Undefined where they cannot be taken.

    `length` is that of the vectors which the same model gave before; None where there are none.
    """
    given = reply.get("data") if isinstance(reply, dict) else None
    given = given if isinstance(given, list) else []
    places = {}
    for place, one in enumerate(given):
        vector = one.get("embedding") if isinstance(one, dict) else None
        if isinstance(vector, list) and vector and all(type(n) in (int, float) for n in vector):
            places[one.get("index", place)] = tuple(map(float, vector))
    if len(given) != count or places.keys() != set(range(count)):
        raise Undefined("unparsable", "The reply does not contain one embedding per text.")
    vectors = [places[place] for place in range(count)]
    lengths = {len(vector) for vector in vectors} | ({length} if length else set())
    if len(lengths) > 1:
        raise Undefined("unparsable", "The model returned embeddings of different dimensions.")
    if not all(any(vector) and all(map(math.isfinite, vector)) for vector in vectors):
        raise Undefined("unparsable", "The embedding of a text is a zero vector.")
    return vectors
