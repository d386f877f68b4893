"""A server that speaks the chat completions protocol and misbehaves on demand.

For tests and benchmarks: a context manager in a thread of its own, or a process of its own with
`python -m tests.support.endpoint --port 8123 --latency 0.2 --fault 429=0.05 --fault drop=0.01`. It
grades whatever it is asked by a hash of the message, so a request always gets the same grade.
Which request meets which fault depends on the seed, the request and how often it was sent before,
and not on the order of arrival.

Grades that a made-up judge gives: by a hash of what it is asked, so always the same.

The local server with a batch mode: files, batches, and what may go wrong with them.

A context manager in a thread of its own, like `endpoint.Endpoint`, whose chat completions it keeps.

A server of decisions that misbehaves on demand, in OpenAI's format and in System One.

Its replies are built from the response types of `openai`, its requests and replies of System One
are checked against the schema of `typesafe-sdk`. It answers whatever it is asked by a hash of the
texts, so a request always gets the same probabilities.
"""

import argparse
import asyncio
import hashlib
import json
import math
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aiohttp import web
from openai.types import DecisionCreateParams
from openai.types.decision import Decision
from pydantic import TypeAdapter, ValidationError
from typesafe_sdk._schemas.models import SystemOneRequest, SystemOneResponse

from tests.support.patience import PATIENT_S

KEY = "sk-quite-secret-0123456789"

# Criterion name -> (score, reason), from the body of a request.
Grader = Callable[[dict[str, Any]], dict[str, tuple[int, str]]]


@dataclass
class Behaviour:
    """How the server behaves.

    `faults` gives the share of requests that meet each fault, a name of `FAULTS`; `script` gives
    the faults of the first requests in order, '' for none. `refuses` are request keys answered by
    a 400, `models` the only models served, `key` the only key accepted, `context_tokens` the
    longest prompt (in bytes / 4). `ignores_format` answers in prose with the JSON
    inside; `write` gives the text of a reply that is no grade. Of the requests, `holds_from` is
    the number of the first that waits, as all after it do, until `Endpoint.release` is called.
    `forgets` keeps no request, so that a long run does not fill the memory; GET /seen still counts.
    """

    latency_s: float = 0.0
    faults: dict[str, float] = field(default_factory=dict)
    script: list[str] = field(default_factory=list)
    seed: int = 0
    retry_after_s: float = 0.05
    refuses: frozenset[str] = frozenset()
    models: frozenset[str] = frozenset()
    key: str = ""
    context_tokens: int = 0
    ignores_format: bool = False
    grade: Grader | None = None
    write: Callable[[dict[str, Any]], str] | None = None
    holds_from: int | None = None
    log: Path | None = None
    forgets: bool = False


@dataclass
class Seen:
    """One request as it arrived and what became of it."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    digest: str
    fault: str
    status: int = 0
    delivered: bool = False


class Endpoint:
    """A running server; `url` ends in /v1 and `seen` lists the requests in order of arrival."""

    def __init__(self, behaviour: Behaviour | None = None, port: int = 0, **more: Any):
        self.behaviour = behaviour or Behaviour(**more)
        self.seen: list[Seen] = []
        self.in_flight = self.most_in_flight = 0
        self._port, self._sent, self._arrived = port, Counter(), 0
        self._first = self._last = 0.0
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> "Endpoint":
        self._thread.start()
        assert self._ready.wait(PATIENT_S), "the server did not start"
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Close every connection and stop answering; a second call does nothing."""
        if self._loop.is_closed():
            return
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(PATIENT_S)
        self._loop.close()

    def release(self, before: int | None = None) -> None:
        """Answer the requests that were held, and all that come, or those `before` a number."""
        self.behaviour.holds_from = before

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}/v1"

    @property
    def delivered(self) -> Counter:
        """How many good replies each request got, by the digest of its body."""
        return Counter(s.digest for s in self.seen if s.delivered and s.status == 200)

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        runner = self._loop.run_until_complete(self._start())
        self._ready.set()
        self._loop.run_forever()
        self._loop.run_until_complete(runner.cleanup())

    async def _start(self) -> web.AppRunner:
        app = web.Application(client_max_size=64_000_000)
        self._routes(app.router)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await runner.setup()
        shared = self._port != 0  # with the socket that keeps the port for it
        site = web.TCPSite(runner, "127.0.0.1", self._port, reuse_port=shared)
        await site.start()
        self._port = runner.addresses[0][1]
        return runner

    def _routes(self, router: web.UrlDispatcher) -> None:
        """What is served; every other POST is taken for a question to a judge."""
        router.add_get("/v1/models", self._models)
        router.add_get("/seen", self._counted)
        router.add_post("/{path:.*}", self._answer)

    async def _models(self, _: web.Request) -> web.Response:
        served = self.behaviour.models or {"any-model"}
        listed = [{"id": name, "object": "model"} for name in sorted(served)]
        return web.json_response({"object": "list", "data": listed})

    async def _counted(self, _: web.Request) -> web.Response:
        """How many requests came, and when the first and the last (seconds since 1970)."""
        told = {"requests": self._arrived, "first": self._first, "last": self._last}
        return web.json_response(told | {"most_in_flight": self.most_in_flight})

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        content = await request.read()
        digest = hashlib.sha256(content).hexdigest()[:16]
        self._sent[digest] += 1
        fault = self._fault(digest)
        seen = Seen(request.path_qs, dict(request.headers), json.loads(content), digest, fault)
        number, self._last = self._arrived + 1, time.time()
        self._arrived = number
        self._first = self._first or self._last
        if not self.behaviour.forgets:
            self.seen.append(seen)
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            await asyncio.sleep(self.behaviour.latency_s)
            while number >= (self.behaviour.holds_from or number + 1):
                await asyncio.sleep(0.005)
            reply = self._refusal(request, seen) or await FAULTS[fault](self, request, seen)
            if not reply.prepared:
                await reply.prepare(request)
                await reply.write_eof()
            seen.status, seen.delivered = reply.status, fault not in ("drop", "torn", "cut")
            return reply
        except ConnectionResetError:
            # The client hung up, as it should on some of the faults.
            return web.Response()
        finally:
            self.in_flight -= 1
            self._write_log(seen)

    def _fault(self, digest: str) -> str:
        """The fault of this attempt: from the script, else by hash."""
        number = self._arrived
        if number < len(self.behaviour.script):
            return self.behaviour.script[number]
        left = draw(f"{self.behaviour.seed} {digest} {self._sent[digest]}")
        for fault, share in self.behaviour.faults.items():
            left -= share
            if left < 0:
                return fault
        return ""

    def _refusal(self, request: web.Request, seen: Seen) -> web.Response | None:
        """What a healthy server refuses, by its settings."""
        wanted, body = self.behaviour, seen.body
        sent_key = request.headers.get("Authorization", "").removeprefix("Bearer ")
        if wanted.key and wanted.key not in (sent_key, request.headers.get("api-key")):
            return error(401, f"Incorrect API key provided: {sent_key}", code="invalid_api_key")
        if not request.path.endswith("/chat/completions"):
            return error(404, "Not Found")
        if wanted.models and body.get("model") not in wanted.models:
            return error(404, f"The model `{body['model']}` does not exist", "model_not_found")
        for key in sorted(wanted.refuses & body.keys()):
            return error(400, f"Unsupported value: '{key}'", "unsupported_value", key)
        if wanted.context_tokens and _tokens(body["messages"]) > wanted.context_tokens:
            told = f"This model's maximum context length is {wanted.context_tokens} tokens."
            return error(400, told, "context_length_exceeded", "messages")
        return None

    def _write_log(self, seen: Seen) -> None:
        if self.behaviour.log is not None:
            entry = [seen.digest, seen.fault, seen.status, seen.delivered, time.time()]
            with self.behaviour.log.open("a", encoding="utf-8") as log:
                log.write(json.dumps(entry) + "\n")

    def completion(self, body: dict[str, Any], finish: str = "", cut: bool = False) -> dict:
        """A chat completion with a grade for everything the request asks for."""
        text = self.behaviour.write(body) if self.behaviour.write else self._grades(body)
        text = text[: len(text) // 2] if cut else text
        message, reason = _message(body, text, self.behaviour.ignores_format)
        return {
            "id": "chatcmpl-test",
            "object": "chat.completion",
            "created": int(time.time()),
            "model": f"{body['model']}-2026",
            "system_fingerprint": "fp_test",
            "choices": [
                {
                    "index": 0,
                    "message": message,
                    "finish_reason": finish or reason,
                    "logprobs": token_logprobs(text) if body.get("logprobs") else None,
                }
            ],
            "usage": _usage(body, text),
        }

    def _grades(self, body: dict[str, Any]) -> str:
        grade = self.behaviour.grade or grade_by_hash
        sure = {"confidence": 80} if '"confidence": "percent"' in str(body) else {}
        grades = {n: {"reason": why, "score": s} | sure for n, (s, why) in grade(body).items()}
        return json.dumps(grades, ensure_ascii=False)


def token_logprobs(text: str) -> dict[str, Any]:
    """The tokens of a text with their log-probabilities; a digit is as likely as not a 1."""
    tokens = re.findall(r"[0-9]|[^0-9]+", text)
    return {"content": [_token(token) for token in tokens], "refusal": None}


def _token(token: str) -> dict[str, Any]:
    listed = {token: 0.5, "1": 0.5} if token in "023456789" else {token: 1.0}
    every = [
        {"token": one, "logprob": math.log(p), "bytes": [*one.encode()]}
        for one, p in listed.items()
    ]
    return every[0] | {"top_logprobs": every}


def error(status: int, message: str, code: str = "", param: str = "", **headers: str):
    """An error in the protocol's form."""
    told = {"message": message, "type": "error", "code": code or None, "param": param or None}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return web.json_response({"error": told}, status=status, headers=named)


async def _good(endpoint: Endpoint, _: web.Request, seen: Seen) -> web.Response:
    text = json.dumps(endpoint.completion(seen.body), ensure_ascii=False)
    return web.Response(text=text, content_type="application/json")


async def _rate_limited(endpoint: Endpoint, _: web.Request, __: Seen) -> web.Response:
    wait = str(endpoint.behaviour.retry_after_s)
    return error(429, "Rate limit reached", "rate_limit_exceeded", Retry_After=wait)


def _always(*told: Any) -> Callable:
    """A fault that answers with one and the same error."""

    async def fault(*_: Any) -> web.Response:
        return error(*told)

    return fault


async def _redirected(*_: Any) -> web.Response:
    raise web.HTTPTemporaryRedirect("http://127.0.0.1:9/elsewhere")


async def _cut(endpoint: Endpoint, _: web.Request, seen: Seen) -> web.Response:
    """A whole reply that holds half a grade, as at the maximum number of tokens."""
    return web.json_response(endpoint.completion(seen.body, "length", cut=True))


async def _mangled(endpoint: Endpoint, _: web.Request, seen: Seen) -> web.Response:
    """The same half, but the server claims to have finished."""
    return web.json_response(endpoint.completion(seen.body, cut=True))


async def _torn(endpoint: Endpoint, request: web.Request, seen: Seen) -> web.StreamResponse:
    """Half a body, then the connection closes."""
    content = json.dumps(endpoint.completion(seen.body)).encode()
    reply = web.StreamResponse(headers={"Content-Length": str(len(content))})
    await reply.prepare(request)
    await reply.write(content[: len(content) // 2])
    request.transport.close()
    return reply


async def _dropped(_: Endpoint, request: web.Request, __: Seen) -> web.Response:
    request.transport.abort()
    return web.Response()


async def _garbage(*_: Any) -> web.Response:
    return web.Response(body=b"<html>busy</html>", content_type="application/json")


async def _not_utf8(*_: Any) -> web.Response:
    return web.Response(body=b'{"choices": "\xff\xfe"}', content_type="application/json")


async def _huge(_: Endpoint, request: web.Request, __: Seen) -> web.StreamResponse:
    """A body of 50 MB whose length is not announced."""
    reply = web.StreamResponse()
    await reply.prepare(request)
    for _number in range(50):
        await reply.write(b" " * 1_000_000)
    return reply


async def _trickle(_: Endpoint, request: web.Request, __: Seen) -> web.StreamResponse:
    """A byte now and then, for a minute."""
    reply = web.StreamResponse()
    await reply.prepare(request)
    for _number in range(600):
        await reply.write(b" ")
        await asyncio.sleep(0.1)
    return reply


FAULTS: dict[str, Callable] = {
    "": _good,
    "429": _rate_limited,
    "quota": _always(429, "You exceeded your current quota", "insufficient_quota"),
    "500": _always(500, "The server had an error"),
    # As llama-cpp-python answers an output mode that it does not know.
    "form": _always(
        500,
        "[{'type': 'literal_error', 'loc': ('body', 'response_format', 'type'), 'msg': "
        "\"Input should be 'text' or 'json_object'\", 'input': 'json_schema'}]",
        "internal_server_error",
    ),
    "401": _always(401, "Incorrect API key provided", "invalid_api_key"),
    "404": _always(404, "The model does not exist", "model_not_found"),
    "filter": _always(400, "The response was filtered", "content_filter"),
    "redirect": _redirected,
    "cut": _cut,
    "mangled": _mangled,
    "torn": _torn,
    "drop": _dropped,
    "garbage": _garbage,
    "utf8": _not_utf8,
    "huge": _huge,
    "trickle": _trickle,
}


def _message(body: dict[str, Any], text: str, prose: bool) -> tuple[dict[str, Any], str]:
    """The grade in the form that was asked for, and the reason for finishing."""
    if prose:
        content = f"Let me see.\n```json\n{text}\n```\nThat is my grade."
        return {"role": "assistant", "content": content}, "stop"
    if "tools" in body:
        function = {"name": body["tools"][0]["function"]["name"], "arguments": text}
        calls = [{"id": "call_1", "type": "function", "function": function}]
        return {"role": "assistant", "content": None, "tool_calls": calls}, "tool_calls"
    return {"role": "assistant", "content": text, "refusal": None}, "stop"


def _usage(body: dict[str, Any], text: str) -> dict[str, Any]:
    sent, written = _tokens(body["messages"]), len(text.encode()) // 4
    return {
        "prompt_tokens": sent,
        "completion_tokens": written,
        "total_tokens": sent + written,
        "prompt_tokens_details": {"cached_tokens": 0},
    }


def _tokens(messages: list[dict[str, str]]) -> int:
    return sum(len(message["content"].encode()) for message in messages) // 4


def main() -> None:
    """Serve until interrupted; prints the address first."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--latency", type=float, default=0.0, help="seconds")
    parser.add_argument("--fault", action="append", default=[], metavar="NAME=SHARE")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--retry-after", type=float, default=0.05, help="seconds")
    parser.add_argument("--key", default="")
    parser.add_argument("--log", type=Path)
    parser.add_argument("--forget", action="store_true", help="keep no request")
    parser.add_argument("--reply", help="the text of every reply, instead of grades by hash")
    parser.add_argument("--decisions", action="store_true", help="be a decision model")
    given = parser.parse_args()
    faults = {name: float(share) for name, share in (f.split("=") for f in given.fault)}
    behaviour = Behaviour(
        latency_s=given.latency,
        faults=faults,
        seed=given.seed,
        retry_after_s=given.retry_after,
        key=given.key,
        log=given.log,
        forgets=given.forget,
        write=(lambda _: given.reply) if given.reply else None,
    )
    with (DecisionEndpoint if given.decisions else Endpoint)(behaviour, given.port) as endpoint:
        print(endpoint.url, flush=True)
        threading.Event().wait()


def grade_by_hash(body: dict[str, Any]) -> dict[str, tuple[int, str]]:
    """A score for every criterion asked for, from a hash of the last message."""
    item = body["messages"][-1]["content"]
    return {
        name: (scale[int(draw(f"{name} {item}") * len(scale))], f"By the hash for {name}.")
        for name, scale in asked_for(body).items()
    }


def asked_for(body: dict[str, Any]) -> dict[str, list[int]]:
    """Criterion names and scales: from the schema, else from the form shown in the prompt."""
    if "tools" in body:
        return _of_schema(body["tools"][0]["function"]["parameters"])
    if "json_schema" in body.get("response_format", {}):
        return _of_schema(body["response_format"]["json_schema"]["schema"])
    texts = "\n".join(message["content"] for message in body["messages"])
    form = json.loads(re.search(r"^\{.*\"one of .*\}$", texts, re.MULTILINE)[0])
    return {
        name: [int(score) for score in grade["score"].removeprefix("one of ").split(", ")]
        for name, grade in form.items()
    }


def _of_schema(schema: dict[str, Any]) -> dict[str, list[int]]:
    return {
        name: grade["properties"]["score"]["enum"] for name, grade in schema["properties"].items()
    }


def draw(text: str) -> float:
    """A number in [0, 1) from a hash."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:6], "big") / 2**48


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


_OPENAI = TypeAdapter(DecisionCreateParams)
_SCORE_KEYS = {"type", "name", "instructions", "levels"}

# Changes a reply before it is sent, from the reply and the request that it answers.
Spoil = Callable[[dict[str, Any], dict[str, Any]], Any]


class DecisionEndpoint(Endpoint):
    """A running server of decisions; `url` ends in /v1.

    `refuses` are names of questions that the model refuses. `spoil` changes each reply or returns
    another. `label_mass` is reported as vLLM does. `max_bytes` is the longest request, as Ollama
    bounds it, and `answers` (status, body) is what every request is answered.
    """

    def __init__(self, behaviour: Behaviour | None = None, port: int = 0, **more: Any):
        self.refuses: set[str] = set(more.pop("refuses", ()))
        self.spoil: Spoil | None = more.pop("spoil", None)
        self.label_mass: float | None = more.pop("label_mass", None)
        self.max_bytes: int = more.pop("max_bytes", 0)
        self.answers: tuple[int, Any] | None = more.pop("answers", None)
        super().__init__(behaviour, port, **more)

    def _refusal(self, request: web.Request, seen: Seen) -> web.Response | None:
        wanted, body = self.behaviour, seen.body
        sent_key = request.headers.get("Authorization", "").removeprefix("Bearer ")
        if wanted.key and wanted.key != sent_key:
            return error(401, f"Incorrect API key provided: {sent_key}", code="invalid_api_key")
        if not request.path.endswith(("/v1/decisions", "/v1/systemone")):
            return web.json_response({"detail": "Not Found"}, status=404)
        if self.answers is not None:
            return web.json_response(self.answers[1], status=self.answers[0])
        if self.max_bytes and request.content_length > self.max_bytes:
            return error(413, "http: request body too large")
        if wanted.models and body.get("model") not in wanted.models:
            return error(404, f"The model `{body['model']}` does not exist", "model_not_found")
        if request.path.endswith("/decisions") and "input" in body:
            return _refused_by_openai(body)
        try:
            SystemOneRequest.model_validate(body)
        except ValidationError as invalid:
            faults = json.loads(invalid.json(include_url=False))
            told = [fault | {"loc": ["body", *fault["loc"]]} for fault in faults]
            return web.json_response({"detail": told}, status=422)
        return None

    def completion(self, body: dict[str, Any], finish: str = "", cut: bool = False) -> Any:
        """A reply with an answer to every question; half of them where it is `cut`."""
        made = self._openai(body) if "input" in body else self._systemone(body)
        if cut:
            answers = list(made["answers"])[: len(made["answers"]) // 2]
            listed = isinstance(made["answers"], list)
            made["answers"] = answers if listed else {n: made["answers"][n] for n in answers}
        return (self.spoil and self.spoil(made, body)) or made

    def _openai(self, body: dict[str, Any]) -> dict[str, Any]:
        text = body["input"]
        answers = [self._openai_answer(one, text) for one in body["questions"]]
        sent = len(json.dumps(body)) // 4
        made = Decision.model_validate(
            {
                "model": f"{body['model']}-2026",
                "answers": answers,
                "usage": {
                    "input_tokens": sent,
                    "input_tokens_details": {"cached_tokens": sent // 4, "cache_write_tokens": 0},
                    "output_tokens": len(answers),
                    "output_tokens_details": {"reasoning_tokens": 0},
                    "total_tokens": sent + len(answers),
                },
            }
        )
        return made.model_dump(mode="json")

    def _openai_answer(self, question: Mapping[str, Any], text: str) -> dict[str, Any]:
        if question["name"] in self.refuses:
            return {"type": "refusal", "name": question["name"]}
        levels = question["levels"]
        found = shares(question["name"], text, len(levels))
        return {
            "type": "score",
            "name": question["name"],
            "score": sum(level * p for level, p in enumerate(found)),
            "confidence": max(found),
            "probabilities": [
                {"value": level, "label": levels[level]["label"], "probability": p}
                for level, p in enumerate(found)
            ],
        }

    def _systemone(self, body: dict[str, Any]) -> dict[str, Any]:
        text = json.dumps(body["state"])
        answers = {
            name: _systemone_answer(name, question["criteria"], text)
            for name, question in body["questions"].items()
        }
        usage = {"input_tokens": len(json.dumps(body)) // 4, "output_tokens": len(answers)}
        made = SystemOneResponse.model_validate(
            {"model": f"{body['model']}-2026", "answers": answers, "usage": usage}
        ).model_dump(mode="json")
        if self.label_mass is not None:
            each = {"label_mass": self.label_mass, "argmax_is_label": True}
            made["diagnostics"] = dict.fromkeys(answers, each)
        return made


def shares(name: str, text: str, levels: int) -> list[float]:
    """Probabilities of the levels by a hash, rounded as servers round them."""
    drawn = [draw(f"{name} {level} {text}") ** 3 for level in range(levels)]
    return [round(one / sum(drawn), 4) for one in drawn]


def _systemone_answer(name: str, criteria: list[str], text: str) -> dict[str, Any]:
    found = shares(name, text, len(criteria))
    return {
        "type": "score",
        "score": sum(level * p for level, p in enumerate(found)),
        "confidence": max(found),
        "legend": {str(level): told for level, told in enumerate(criteria)},
        "probabilities": {str(level): p for level, p in enumerate(found)},
    }


def _refused_by_openai(body: dict[str, Any]) -> web.Response | None:
    strange = sorted(body.keys() - {"model", "input", "questions"})
    if strange:
        return error(400, f"Unknown parameter: '{strange[0]}'.", "unknown_parameter", strange[0])
    try:
        _OPENAI.validate_python(body)
        for one in body["questions"]:
            assert one.keys() == _SCORE_KEYS and len(one["levels"]) > 1
    except (ValidationError, AssertionError, KeyError):
        return error(400, "Invalid questions", "invalid_request_error", "questions")
    return None


if __name__ == "__main__":
    main()
