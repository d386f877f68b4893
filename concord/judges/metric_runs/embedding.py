"""Embedding texts: the request, the vectors in its reply, and the reply as it is stored. Pure."""

import json
import math
from collections.abc import Sequence
from typing import Any

from concord.judges.definition.model import Judge
from concord.judges.metric_runs.undefined import Undefined
from concord.judges.transport.response import Answer

PATH = "/embeddings"

Vector = tuple[float, ...]


def embedder(judge: Judge) -> Judge | None:
    """The judge's embedding model as something that can be connected to; None where it has none."""
    if judge.embedding is None:
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


def body(asked: Judge, texts: Sequence[str]) -> dict[str, Any]:
    """The request for the vectors of some texts."""
    return {"model": asked.model, "input": list(texts)}


def read(reply: Any, count: int, length: int | None) -> list[Vector]:
    """The vectors of so many texts, in their order; Undefined where they cannot be taken.

    `length` is that of the vectors which the same model gave before; None where there are none.
    """
    given = reply.get("data") if isinstance(reply, dict) else None
    if not isinstance(given, list) or len(given) != count:
        raise Undefined("unparsable", "The reply does not hold {count} vectors.", count=count)
    places = {one.get("index", place): one for place, one in enumerate(given) if _has_vector(one)}
    if set(places) != set(range(count)):
        raise Undefined("unparsable", "The reply does not contain one embedding per text.")
    vectors = [tuple(map(float, places[place]["embedding"])) for place in range(count)]
    lengths = {len(vector) for vector in vectors} | ({length} if length else set())
    if len(lengths) > 1:
        raise Undefined("unparsable", "The model returned embeddings of different dimensions.")
    if not all(any(vector) and all(map(math.isfinite, vector)) for vector in vectors):
        raise Undefined("unparsable", "The embedding of a text is a zero vector.")
    return vectors


def without_vectors(answer: Answer) -> str:
    """The raw reply as it is stored: the vectors have a table of their own."""
    if answer.completion is None:
        return answer.raw
    return json.dumps({k: v for k, v in answer.completion.items() if k != "data"})


def _has_vector(one: Any) -> bool:
    vector = one.get("embedding") if isinstance(one, dict) else None
    plain = isinstance(vector, list) and bool(vector)
    return plain and all(type(number) in (int, float) for number in vector)
