"""Result of one request: a chat completion, a decision, or neither."""

import asyncio
import json
from typing import Any, NamedTuple

from concord.judges.definition import prices
from concord.judges.definition.prices import Price, Usage
from concord.store.runs import Receipt

# Errors of 4xx that the same request may survive a little later.
PASSING = (408, 409, 429)
OF_SUCCESS = {"choices", "answers"}  # a key of every completion or decision


class Unanswered(asyncio.CancelledError):
    """A request was cancelled after it was sent, so that it may have been paid for nothing."""


class Answer(NamedTuple):
    """Result of one request.

    `status` is '' for a chat completion or a decision, which `verdicts` then reads, and otherwise
    `refused`, `unparsable`, `too_long` or `failed`, with the reason in `why`. `raw` is the body
    exactly as received, with the API key redacted where a server repeats it. `latency` is the
    seconds of the last attempt; `retries` counts the attempts before it. `sent` is the request as
    it was sent; '' where another connection than the client's answers.
    """

    status: str = ""
    why: str = ""
    raw: str = ""
    completion: dict[str, Any] | None = None
    usage: Usage | None = None
    finish_reason: str | None = None
    model: str | None = None
    system_fingerprint: str | None = None
    latency: float | None = None
    retries: int = 0
    http_status: int | None = None
    timed_out: bool = False
    sent: str = ""

    @property
    def is_turned_away(self) -> bool:
        """True where the server rejected the request itself, which waiting would not help."""
        refused = self.http_status is not None and 400 <= self.http_status < 500
        return self.status == "failed" and refused and self.http_status not in PASSING


def read(content: bytes) -> Answer:
    """An answer from the body of a reply that the server calls a success; never raises."""
    try:
        raw = content.decode()
    except UnicodeDecodeError:
        return Answer("unparsable", "The reply is not UTF-8.", content.decode(errors="replace"))
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError):
        return Answer("unparsable", "The reply is not JSON.", raw)
    if not isinstance(value, dict):
        return Answer("unparsable", "The reply is not a JSON object.", raw)
    choices = value.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    return Answer(
        raw=raw,
        completion=value,
        usage=_usage(value.get("usage")),
        finish_reason=_text(first.get("finish_reason")) if isinstance(first, dict) else None,
        model=_text(value.get("model")),
        system_fingerprint=_text(value.get("system_fingerprint")),
    )


def _usage(reported: Any) -> Usage | None:
    """The tokens a server reports; None unless both totals are there."""
    if not isinstance(reported, dict):
        return None
    # Decisions are reported as input and output, chat completions as prompt and completion.
    read, made = ("input", "output") if "input_tokens" in reported else ("prompt", "completion")
    sent, written = _count(reported, f"{read}_tokens"), _count(reported, f"{made}_tokens")
    if written is None and sent is not None and _count(reported, "total_tokens") == sent:
        written = 0  # an embedding has no completion
    if sent is None or written is None:
        return None
    details = reported.get(f"{read}_tokens_details")
    details = details if isinstance(details, dict) else {}
    cached = _count(details, "cached_tokens") or 0
    stored = _count(details, "cache_write_tokens") or 0
    # Parts that exceed their total say nothing; then all of it counts at the full price.
    return Usage(sent, written, cached, stored) if cached + stored <= sent else Usage(sent, written)


def _count(reported: dict[str, Any], key: str) -> int | None:
    value = reported.get(key)
    return value if type(value) is int and 0 <= value < 2**53 else None


def _text(value: Any) -> str | None:
    """Text that can be stored: a lone surrogate, which JSON can spell, is replaced."""
    return value.encode(errors="replace").decode() if isinstance(value, str) else None


def receipt(answer: Answer, found: Price | None) -> Receipt:
    """Return the usage of a reply; where usage or price is unknown, so is its cost."""
    usage = answer.usage
    spent = prices.cost(usage, found)
    return Receipt(
        answer.finish_reason,
        *(usage or [None] * 3)[:3],
        found.model_dump_json(exclude_none=True) if found else None,
        str(found.date) if found else None,
        None if spent is None else float(spent),
        answer.latency,
        answer.model,
        answer.system_fingerprint,
    )
