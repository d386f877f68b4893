"""Batch files: the lines that are handed over and the lines that come back. Pure."""

import hashlib
import io
import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from concord.judges.definition.model import Judge
from concord.judges.transport import endpoint_errors, response
from concord.judges.transport.endpoint_errors import EndpointProblem
from concord.judges.transport.response import Answer
from concord.text.display import visible

# How the lines of a batch name the endpoint that answers them, whatever the server's own URL.
ASKED_AT = "/v1/chat/completions"
# Error codes of requests that the server did not process.
UNDONE = {"batch_expired", "batch_cancelled"}


class BatchRefused(EndpointProblem):
    """The server has said no to a batch: nothing was begun, and nothing will be billed."""


class Result(NamedTuple):
    """One line that came back: which question it answers, and how, with the HTTP status.

    `undone` says that the question was never answered, and so is still open.
    """

    custom_id: str
    http_status: int | None
    body: Any
    error: Any
    undone: bool = False


def custom_id(content_hash: str, part: str, repeat: int) -> str:
    """The name of a question in a batch: the content's hash, the part and the repeat.

    At most 64 ASCII characters, whatever the criterion is called: `content-part-repeat`, where the
    part is '0' for all criteria at once, else the beginning of the name's hash.
    """
    hashed = hashlib.sha256(part.encode()).hexdigest()[:8] if part else "0"
    return f"{content_hash[:40]}-{hashed}-{repeat}"


def line(name: str, request: str) -> bytes:
    """One line of the file that is handed over, with its line break; `request` is JSON."""
    head = json.dumps({"custom_id": name, "method": "POST", "url": ASKED_AT})
    return f'{head[:-1]}, "body": {request}}}\n'.encode(errors="replace")


def results(content: bytes) -> Iterator[Result]:
    """The lines of a file that came back; one that cannot be read is left out, and stays owed."""
    for text in io.BytesIO(content):  # a list of all lines would double the memory
        try:
            reported = json.loads(text)
        except (ValueError, RecursionError):
            continue
        if isinstance(reported, dict) and isinstance(reported.get("custom_id"), str):
            yield _result(reported)


def answered(result: Result, judge: Judge, sent: Mapping[str, Any]) -> Answer:
    """Return the result of one line, as if the request had been sent live."""
    raw = json.dumps(result.error if result.body is None else result.body, ensure_ascii=False)
    raw = raw.encode(errors="replace").decode()
    reported = {"error": result.error} if result.body is None else result.body
    told = endpoint_errors.error_status(result.http_status or 500, result.body, response.OF_SUCCESS)
    if told == 200:
        return response.read(raw.encode())._replace(http_status=200)
    try:
        found = endpoint_errors.read(told, reported)
        status, why = endpoint_errors.status(judge, found, sent)
    except EndpointProblem as problem:
        status, why = "failed", str(problem)
    return Answer(status, why, raw, http_status=result.http_status)


def _result(reported: Mapping[str, Any]) -> Result:
    reply, error = reported.get("response"), reported.get("error")
    if not isinstance(reply, dict):
        is_undone = str(_as(dict, error).get("code")) in UNDONE
        return Result(reported["custom_id"], None, None, error, is_undone)
    return Result(
        reported["custom_id"], _as(int, reply.get("status_code")), reply.get("body"), error
    )


STATUS_LETTERS, MOST_REASONS = 60, 3
WAITING = ("validating", "in_progress", "finalizing", "cancelling")
ENDED = ("completed", "failed", "expired", "cancelled")


class StatusReport(NamedTuple):
    """A server's report on a batch: `files` hold the results, `why` a rejection of the whole batch.

    Where missing, `id` and `status` are '', `total` and `done` 0.
    """

    id: str
    status: str
    files: tuple[str, ...]
    done: int
    total: int
    why: str


def read_status(reported: Mapping[str, Any]) -> StatusReport:
    """The server's word; what has another shape than it should was not said."""
    counts, errors = (_as(dict, reported.get(key)) for key in ("request_counts", "errors"))
    texts = [_line(_as(dict, one).get("message")) for one in _as(list, errors.get("data"))]
    files = [_as(str, reported.get(key)) for key in ("output_file_id", "error_file_id")]
    return StatusReport(
        id=_as(str, reported.get("id")),
        status=_line(reported.get("status"))[:STATUS_LETTERS],
        files=tuple(filter(None, files)),
        done=_as(int, counts.get("completed")),
        total=_as(int, counts.get("total")),
        why=" ".join(list(dict.fromkeys(filter(None, texts)))[:MOST_REASONS]),
    )


def object_of(content: bytes) -> dict[str, Any] | None:
    """The object that a reply holds, with no lone surrogates; None where it holds none."""
    try:
        whole = json.dumps(json.loads(content), ensure_ascii=False)
        reported = json.loads(whole.encode(errors="replace"))
    except (ValueError, RecursionError):
        return None
    return reported if isinstance(reported, dict) else None


def _line(value: Any) -> str:
    return " ".join(visible(_as(str, value)).split())


def _as(kind: type, value: Any) -> Any:
    """A value of this type; an empty one in place of any other."""
    return value if type(value) is kind else kind()
