"""Client of an endpoint's batch API: files and batches, in OpenAI's format.

Uploading a file and creating a batch are free; its results are billed. A batch is never created
twice: where it is unknown if the server got the request, the batch is looked up by the token sent
with it.
"""

import asyncio
import hashlib
import io
import itertools
import json
import secrets
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple
from urllib.parse import quote

from concord.judges.definition.model import Judge
from concord.judges.transport import endpoint_errors, response
from concord.judges.transport.client import REPLY_BYTES, Client
from concord.judges.transport.connections import Head
from concord.judges.transport.endpoint_errors import EndpointProblem
from concord.judges.transport.rate_limit import RateLimiter
from concord.judges.transport.response import Answer
from concord.messages import said
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


WINDOW = "24h"
TOKEN = "concord"
TRANSFER_S = 1800.0
RESULT_BYTES = 400_000_000
PAGE = 100
# A key of every reply of success: of a file or batch, a list of batches, a line of results.
OF_SUCCESS = {"id", "data", "custom_id"}


class BatchClient(Client):
    """A connection to the batch mode of one judge's endpoint; an asynchronous context manager.

    A whole file may take half an hour to or fro, and no cap on the pace holds for it.
    """

    def __init__(self, judge: Judge):
        super().__init__(judge, reply_bytes=RESULT_BYTES)
        self._limiter = RateLimiter()

    async def upload(self, lines: Iterable[bytes]) -> str:
        """Upload the lines of a batch; returns the server's id of the file."""
        mark = secrets.token_hex(16)
        kind, fields = f"multipart/form-data; boundary={mark}", _form(mark, lines)
        sent = await self._call("POST", "/files", fields, kind, seconds=TRANSFER_S)
        return _text_of(self._expect(*sent), "id")

    async def create(self, file_id: str, token: str) -> dict[str, Any]:
        """Ask for a batch over an uploaded file; sent once, since a second would be another."""
        asked = {
            "input_file_id": file_id,
            "endpoint": ASKED_AT,
            "completion_window": WINDOW,
            "metadata": {TOKEN: token},
        }
        content = json.dumps(asked).encode()
        return self._expect(*await self._call("POST", "/batches", content, once=True))

    async def find(self, token: str) -> dict[str, Any] | None:
        """The batch that this token was sent along with; None where the server has none."""
        after = ""
        while True:
            path = f"/batches?limit={PAGE}{after}"
            listed = self._expect(*await self._call("GET", path))
            data = listed.get("data")
            if not isinstance(data, list):
                raise self._unreadable()
            found = [batch for batch in data if isinstance(batch, dict)]
            for batch in found:
                about = batch.get("metadata")
                if isinstance(about, dict) and about.get(TOKEN) == token:
                    return batch
            if not (found and listed.get("has_more")):
                return None
            after = f"&after={quote(_text_of(found[-1], 'id'))}"

    async def look(self, remote_id: str) -> dict[str, Any] | None:
        """Return the server's status of a batch; None where it is unknown there."""
        status, content = await self._call("GET", f"/batches/{quote(remote_id)}")
        return None if status == 404 else self._expect(status, content)

    async def cancel(self, remote_id: str) -> bool:
        """Ask the server to answer no more of a batch; False where it has ended, or never will."""
        path = f"/batches/{quote(remote_id)}/cancel"
        # Once, since a 409 says that it has ended, and not that a second try may fare better.
        status, _ = await self._call("POST", path, b"{}", once=True)
        return 200 <= status < 300

    async def content(self, file_id: str) -> bytes | None:
        """A file of results; None where the server has it no more."""
        path = f"/files/{quote(file_id)}/content"
        status, content = await self._call("GET", path, seconds=TRANSFER_S)
        if status != 404 and not 200 <= status < 300:
            self._expect(status, content)
        return None if status == 404 else content

    async def _call(
        self,
        method: str,
        path: str,
        content: bytes = b"",
        kind: str = "application/json",
        once: bool = False,
        seconds: float | None = None,
    ) -> tuple[int, bytes]:
        """HTTP status and body; sent again while that may help, unless it may be sent only once."""
        kind_of = {"content-type": kind} if method == "POST" else {}
        headers = {k: v for k, v in self._headers.items() if k != "content-type"} | kind_of
        head = Head(self._judge.endpoint.address(path), headers, method)
        for retries in itertools.count():
            tried = await self._attempt(head, content, seconds)
            if once or (wait := self._wait(tried, retries)) is None:
                break
            await asyncio.sleep(wait)
        if tried.reply is None:
            raise EndpointProblem("{why} Run the judge again to resume.", why=tried.answer.why)
        content = self._without_key(tried.reply.content)
        reported = object_of(content) if len(content) <= REPLY_BYTES else None
        return endpoint_errors.error_status(tried.reply.status, reported, OF_SUCCESS), content

    def _expect(self, status: int, content: bytes) -> dict[str, Any]:
        """The object of a reply of success; else a sentence that says what to change."""
        reported = object_of(content) if len(content) <= REPLY_BYTES else None
        if 200 <= status < 300:
            if reported is None:
                raise self._unreadable()
            return reported
        if status in (404, 405, 501):
            raise BatchRefused(
                "{url} has no batch mode like OpenAI's ({status}). Send live requests instead.",
                url=self._judge.url(),
                status=status,
            )
        told = content.decode(errors="replace") if reported is None else reported
        found = endpoint_errors.read(status, told)
        try:
            _, why = endpoint_errors.status(self._judge, found, {})
        except EndpointProblem as problem:
            raise BatchRefused(str(problem)) from None
        problem = EndpointProblem if status >= 500 else BatchRefused
        raise problem(said("The server refused the batch. {why}", why=why))

    def _unreadable(self) -> EndpointProblem:
        """A reply of success that says nothing: what it was a reply to may have come about."""
        return EndpointProblem(
            "{url} answered a request of its batch mode with something that cannot be read. "
            "Try again later; nothing is sent twice. If it never had a batch mode, send live "
            "requests instead.",
            url=self._judge.url(),
        )


def _form(mark: str, lines: Iterable[bytes]) -> bytes:
    """The form that uploads a file for a batch, with `mark` between its parts."""
    head = (
        f'--{mark}\r\nContent-Disposition: form-data; name="purpose"\r\n\r\nbatch\r\n'
        f'--{mark}\r\nContent-Disposition: form-data; name="file"; filename="concord.jsonl"\r\n'
        "Content-Type: application/jsonl\r\n\r\n"
    )
    return b"".join([head.encode(), *lines, f"\r\n--{mark}--\r\n".encode()])


def _text_of(reported: Mapping[str, Any], key: str) -> str:
    """A text that a reply must hold."""
    value = reported.get(key)
    if not isinstance(value, str) or not value:
        raise EndpointProblem(
            "The server's reply has no `{key}`, so its batch mode is not usable.", key=key
        )
    return value
