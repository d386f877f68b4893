"""Batch status: a server's report on a batch, in any of the known shapes. Pure."""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from concord.text.display import visible

STATUS_LETTERS, MOST_REASONS = 60, 3
WAITING = ("validating", "in_progress", "finalizing", "cancelling")
ENDED = ("completed", "failed", "expired", "cancelled")


class StatusReport(NamedTuple):
    """A server's report on a batch: `files` hold the results, `why` a rejection of the whole batch.

    Where missing, `id` and `status` are '', `total` None and `done` 0.
    """

    id: str
    status: str
    files: tuple[str, ...]
    done: int
    total: int | None
    why: str


def read(reported: Mapping[str, Any]) -> StatusReport:
    """The server's word; what has another shape than it should was not said."""
    files = [_text(reported.get(key)) for key in ("output_file_id", "error_file_id")]
    counts = _object(reported.get("request_counts"))
    return StatusReport(
        id=_text(reported.get("id")),
        status=_line(_text(reported.get("status")))[:STATUS_LETTERS],
        files=tuple(filter(None, files)),
        done=_count(counts.get("completed")) or 0,
        total=_count(counts.get("total")),
        why=_refusals(_object(reported.get("errors")).get("data")),
    )


def object_of(content: bytes) -> dict[str, Any] | None:
    """The object that a reply holds, with no lone surrogates; None where it holds none."""
    try:
        whole = json.dumps(json.loads(content), ensure_ascii=False)
        reported = json.loads(whole.encode(errors="replace"))
    except (ValueError, RecursionError):
        return None
    return reported if isinstance(reported, dict) else None


def _refusals(errors: Any) -> str:
    """The server's own words, at most three of them."""
    listed = errors if isinstance(errors, list) else []
    texts = filter(None, (_line(_text(_object(error).get("message"))) for error in listed))
    return " ".join(list(dict.fromkeys(texts))[:MOST_REASONS])


def _line(text: str) -> str:
    return " ".join(visible(text).split())


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _count(value: Any) -> int | None:
    return value if type(value) is int and value >= 0 else None
