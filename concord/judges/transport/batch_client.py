"""Client of an endpoint's batch API: files and batches, in OpenAI's format.

Uploading a file and creating a batch are free; its results are billed. A batch is never created
twice: where it is unknown if the server got the request, the batch is looked up by the token sent
with it.
"""

import asyncio
import itertools
import json
import secrets
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import quote

from concord.judges.definition.model import Judge
from concord.judges.transport import batch_file, endpoint_errors
from concord.judges.transport.batch_file import ASKED_AT, BatchRefused
from concord.judges.transport.client import REPLY_BYTES, Client
from concord.judges.transport.connections import Head
from concord.judges.transport.endpoint_errors import EndpointProblem
from concord.judges.transport.rate_limit import RateLimiter
from concord.messages import said

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
        reported = batch_file.object_of(content) if len(content) <= REPLY_BYTES else None
        return endpoint_errors.error_status(tried.reply.status, reported, OF_SUCCESS), content

    def _expect(self, status: int, content: bytes) -> dict[str, Any]:
        """The object of a reply of success; else a sentence that says what to change."""
        reported = batch_file.object_of(content) if len(content) <= REPLY_BYTES else None
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
