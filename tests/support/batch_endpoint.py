"""The local server with a batch mode: files, batches, and what may go wrong with them.

A context manager in a thread of its own, like `endpoint.Endpoint`, whose chat completions it keeps.
"""

import asyncio
import hashlib
import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from tests.support.endpoint import FAULTS, Endpoint, error

OPEN = ("validating", "in_progress", "finalizing", "cancelling")


@dataclass
class Made:
    """One batch as the server keeps it."""

    id: str
    file_id: str
    metadata: dict[str, str]
    status: str = "validating"
    output: str | None = None
    errors: str | None = None
    refusals: list[str] = field(default_factory=list)


class BatchEndpoint(Endpoint):
    """A server whose batches stand still until `finish` or `expire` is called.

    `files` and `made` are what it holds; `creations` counts the requests for a batch, `slow_s` is
    how long it takes to answer them after it has made one, `upload_s` how long a file takes, and
    `refuses_batches` makes every batch fail for that reason. `spoils` turns the answer to a
    question into another line, by its number. `garbles` has a call done and then answered
    otherwise, by its name (`upload`, `create`, `list`, `look`, `cancel`, `content`): bytes as they
    are, a dictionary laid over the true answer, a text as the fault of that name.
    """

    def __init__(self, **behaviour: Any):
        super().__init__(**behaviour)
        self.files: dict[str, bytes] = {}
        self.made: dict[str, Made] = {}
        self.creations = self.uploads = 0
        self.slow_s = self.upload_s = 0.0
        self.has_batches = True
        self.refuses_batches = ""
        self.spoils: dict[int, Any] = {}
        self.garbles: dict[str, Any] = {}

    def lines(self) -> list[dict[str, Any]]:
        """Every line of every batch that was made."""
        texts = [self.files[made.file_id] for made in self.made.values()]
        return [json.loads(line) for text in texts for line in text.splitlines()]

    def finish(self) -> None:
        """Answer every open batch."""
        for made in self._open():
            self._answer_batch(made, len(self.files[made.file_id].splitlines()))
            made.status = "completed"

    def expire(self, answered: int) -> None:
        """Answer so many questions of every open batch; the others were not done in time."""
        for made in self._open():
            self._answer_batch(made, answered, "batch_expired")
            made.status = "expired"

    def _open(self) -> list[Made]:
        return [made for made in self.made.values() if made.status in OPEN]

    def _answer_batch(self, made: Made, answered: int, rest: str = "") -> None:
        """Write the files of results, in another order than the questions."""
        good, bad = [], []
        for number, text in enumerate(self.files[made.file_id].splitlines()):
            line = json.loads(text)
            reply = {"status_code": 200, "body": self.completion(line["body"])}
            told = {"id": f"r{number}", "custom_id": line["custom_id"], "response": reply}
            told["error"] = None
            if number >= answered:
                told |= {"response": None, "error": {"code": rest, "message": "Not in time."}}
            elif number in self.spoils:
                told |= self.spoils[number]
            failed = told["response"] is None or told["response"]["status_code"] != 200
            (bad if failed else good).append(json.dumps(told, ensure_ascii=False))
        made.output = self._kept("\n".join(good[::-1])) if good else None
        made.errors = self._kept("\n".join(bad)) if bad else None

    def _kept(self, text: str) -> str:
        name = f"file-{len(self.files)}"
        self.files[name] = text.encode()
        return name

    def _routes(self, router: web.UrlDispatcher) -> None:
        router.add_post("/v1/files", self._garbled("upload", self._upload))
        router.add_get("/v1/files/{id}/content", self._garbled("content", self._content))
        router.add_post("/v1/batches", self._garbled("create", self._create))
        router.add_get("/v1/batches", self._garbled("list", self._list))
        router.add_get("/v1/batches/{id}", self._garbled("look", self._look))
        router.add_post("/v1/batches/{id}/cancel", self._garbled("cancel", self._cancel))
        super()._routes(router)

    def _garbled(self, name: str, call: Callable) -> Callable:
        async def answer(request: web.Request) -> web.Response:
            true = await call(request)
            if name not in self.garbles:
                return true
            other = self.garbles[name]
            if isinstance(other, bytes):
                return web.Response(body=other, content_type="application/json")
            if isinstance(other, str):
                return await FAULTS[other](self, request, None)
            return web.json_response(json.loads(true.body) | other)

        return answer

    def _shut(self, request: web.Request) -> web.Response | None:
        """What stands before every call: no batch mode at all, or a wrong key."""
        sent = request.headers.get("Authorization", "").removeprefix("Bearer ")
        if not self.has_batches:
            return error(404, "Not Found")
        if self.behaviour.key and sent != self.behaviour.key:
            return error(401, "Incorrect API key provided", "invalid_api_key")
        return None

    async def _upload(self, request: web.Request) -> web.Response:
        self.uploads += 1
        await asyncio.sleep(self.upload_s)
        form = await request.post()
        assert form["purpose"] == "batch", "files for batches say so"
        if shut := self._shut(request):
            return shut
        name = self._kept(form["file"].file.read().decode())
        return web.json_response({"id": name, "object": "file", "purpose": "batch"})

    async def _create(self, request: web.Request) -> web.Response:
        self.creations += 1
        asked = await request.json()
        if shut := self._shut(request):
            return shut
        assert asked["completion_window"] == "24h", "the only window there is"
        assert asked["endpoint"] == "/v1/chat/completions", "the only endpoint judges ask"
        if asked["input_file_id"] not in self.files:
            return error(400, "No such file", "invalid_file", "input_file_id")
        name = f"batch_{hashlib.sha256(str(len(self.made)).encode()).hexdigest()[:8]}"
        made = Made(name, asked["input_file_id"], asked["metadata"])
        if self.refuses_batches:
            made.status, made.refusals = "failed", [self.refuses_batches]
        self.made[name] = made
        await asyncio.sleep(self.slow_s)
        return web.json_response(self._told(made))

    async def _list(self, request: web.Request) -> web.Response:
        """The newest first, two to a page, so that who looks must turn the pages."""
        if shut := self._shut(request):
            return shut
        names = list(self.made)[::-1]
        after = request.query.get("after")
        start = names.index(after) + 1 if after else 0
        page = [self._told(self.made[name]) for name in names[start : start + 2]]
        more = start + 2 < len(names)
        return web.json_response({"object": "list", "data": page, "has_more": more})

    async def _look(self, request: web.Request) -> web.Response:
        made = self.made.get(request.match_info["id"])
        if shut := self._shut(request):
            return shut
        return web.json_response(self._told(made)) if made else error(404, "No such batch")

    async def _cancel(self, request: web.Request) -> web.Response:
        made = self.made.get(request.match_info["id"])
        if made is None:
            return error(404, "No such batch")
        if made.status not in OPEN:
            return error(409, f"Cannot cancel a batch with status '{made.status}'.")
        made.status = "cancelled"
        self._answer_batch(made, 2, "batch_cancelled")
        return web.json_response(self._told(made))

    async def _content(self, request: web.Request) -> web.Response:
        content = self.files.get(request.match_info["id"])
        if content is None:
            return error(404, "No such file")
        return web.Response(body=content, content_type="application/octet-stream")

    def _told(self, made: Made) -> dict[str, Any]:
        total = len(self.files.get(made.file_id, b"").splitlines())
        done = len(self.files[made.output].splitlines()) if made.output in self.files else 0
        errors = {"object": "list", "data": [{"code": "x", "message": m} for m in made.refusals]}
        return {
            "id": made.id,
            "object": "batch",
            "endpoint": "/v1/chat/completions",
            "errors": errors if made.refusals else None,
            "input_file_id": made.file_id,
            "completion_window": "24h",
            "status": made.status,
            "output_file_id": made.output,
            "error_file_id": made.errors,
            "created_at": int(time.time()),
            "request_counts": {"total": total, "completed": done, "failed": 0},
            "metadata": made.metadata,
        }
