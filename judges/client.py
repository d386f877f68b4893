"""The network: asks a judge's endpoint through the openai client. The only module that does.

Only the configured address is contacted: redirects are not followed, and proxies named in the
environment are not used. The key is read from the environment variable that the judge file names;
it is never stored, logged or shown.
"""

import asyncio
import json
import os
import random
import time
from collections.abc import AsyncIterator, Mapping
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import aiohttp
import httpx2
import openai

from judges import answer, fault, pace, secret
from judges.answer import Answer
from judges.fault import EndpointProblem
from judges.model import Judge
from judges.pace import Pace

MAX_RETRIES = 5
# Being asked to slow down is no fault of the request: it is sent again more patiently.
RATE_LIMITED = (429, 503, 529)
TIMES_AS_PATIENT = 4
CONNECT_TIMEOUT_S = 10
REPLY_BYTES = 8_000_000
# About how many bytes of a request make one of its tokens, until the server reports how many.
BYTES_PER_TOKEN = 4
BROKE_OFF = "The connection broke off before the reply was complete."
# Headers that belong to one request, not to all that are like it.
OF_ONE_REQUEST = ("content-length", "idempotency-key", "x-stainless-retry-count")


class Client:
    """A connection to one judge's endpoint; use it as an asynchronous context manager.

    Args:
        judge: Whose endpoint it is.
        environ: Where the key and OPENAI_BASE_URL are looked up.
        transport: What stands in for the network in tests.
        max_retries: How often one request is sent again after 408, 409, 5xx, a time-out or a
            broken connection, and four times as often after 429, 503 and 529. The wait is what the
            server asks for, else it doubles from half a second to 8 s, with jitter.
        reply_bytes: The longest reply that is read; a longer one is unparsable.

    Raises:
        Problem: There is no key. Nothing was sent.
    """

    def __init__(
        self,
        judge: Judge,
        environ: Mapping[str, str] = os.environ,
        transport: httpx2.AsyncBaseTransport | None = None,
        max_retries: int = MAX_RETRIES,
        reply_bytes: int = REPLY_BYTES,
    ):
        self._judge, self._environ = judge, environ
        self._key = secret.key(judge, environ)
        self._max_retries, self._jitter = max_retries, random.Random(os.getpid())
        self._wire = _Wire(judge, environ, transport, reply_bytes)
        self._draft = _connect(judge, environ, self._key)
        self._heads: dict[Any, _Head] = {}
        endpoint = judge.endpoint
        self._pace = Pace(endpoint.requests_per_minute, endpoint.tokens_per_minute)

    async def __aenter__(self) -> "Client":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._wire.aclose()
        await self._draft.close()

    async def ask(self, body: Mapping[str, Any]) -> Answer:
        """Send one chat completion request exactly as given, and say what came of it.

        Raises:
            EndpointProblem: No further request would fare better: the key, the address, the model
                or a setting is refused, there is no credit, the server asks for a wait that is too
                long, or nothing answers at the first call.
        """
        content = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
        head = await self._head(body)
        retries = 0
        while True:
            tried = await self._attempt(head, content.encode(errors="replace"))
            wait = self._wait(tried, retries)
            if wait is None:
                return self._answer(tried, body)._replace(retries=retries)
            await asyncio.sleep(wait)
            retries += 1

    async def _attempt(self, head: "_Head", content: bytes) -> "_Tried":
        """Send once, when the pace allows it."""
        guessed = len(content) // BYTES_PER_TOKEN
        sent = await self._pace.enter(guessed)
        try:
            reply = await self._wire.attempt(head, content)
        except _Unreachable as error:
            why = fault.unreachable(self._judge, str(error), self._environ)
            raise EndpointProblem(why) from None
        except _TooLarge as error:
            return _Tried(sent, answer=Answer("unparsable", str(error)))
        except httpx2.TimeoutException:
            seconds = self._judge.endpoint.timeout_s
            return _Tried(sent, answer=Answer("failed", f"No reply within {seconds:g} s."))
        except httpx2.TransportError:
            return _Tried(sent, answer=Answer("failed", BROKE_OFF))
        finally:
            self._pace.leave()
        return self._learnt(_Tried(sent, reply), guessed)

    def _learnt(self, tried: "_Tried", guessed: int) -> "_Tried":
        """What a reply says of the pace, noted for the whole run."""
        reply = tried.reply
        if reply.is_success:
            self._pace.fared(_seconds(reply))
            tried = tried._replace(answer=answer.read(self._without_key(reply.content)))
            if tried.answer.usage:
                self._pace.used(guessed, tried.answer.usage.input + tried.answer.usage.output)
        elif reply.status_code in RATE_LIMITED and not fault.has_no_credit(reply.text):
            self._pace.slow_down(tried.sent)
        held = pace.used_up(reply.headers)
        if held:
            self._pace.hold(min(held, pace.PATIENCE_S))
        return tried

    def _wait(self, tried: "_Tried", retries: int) -> float | None:
        """Seconds before the request is sent again; None where what came is what there is."""
        reply, wait = tried.reply, pace.backoff(retries, self._jitter)
        if reply is None:
            passing = tried.answer.status == "failed"
            return wait if passing and retries < self._max_retries else None
        limited = reply.status_code in RATE_LIMITED
        most = self._max_retries * (TIMES_AS_PATIENT if limited else 1)
        passing = fault.is_passing(reply.status_code, reply.headers, reply.text)
        if not passing or retries >= most:
            return None
        asked = pace.retry_after(reply.headers)
        wait = wait if asked is None else asked
        if not limited:
            return min(wait, pace.PATIENCE_S)
        if wait > pace.PATIENCE_S:
            raise EndpointProblem(fault.long_wait(self._judge, wait, self._environ))
        self._pace.hold(wait)
        return 0.0

    def _answer(self, tried: "_Tried", body: Mapping[str, Any]) -> Answer:
        """What came of the last attempt."""
        if tried.reply is None:
            return tried.answer
        if tried.answer is None:
            return self._refused(tried.reply, body)
        return self._answered(tried.answer, tried.reply, body)

    def _answered(self, read: Answer, reply: httpx2.Response, body: Mapping[str, Any]) -> Answer:
        """A reply of success; some servers wrap an error in one."""
        if read.completion and "error" in read.completion and "choices" not in read.completion:
            error = read.completion["error"]
            code = error.get("code") if isinstance(error, dict) else None
            told = fault.read(code if type(code) is int else 502, read.completion)
            return self._item_status(told, read.raw, reply, body)
        return read._replace(latency=_seconds(reply), http_status=reply.status_code)

    def _refused(self, reply: httpx2.Response, body: Mapping[str, Any]) -> Answer:
        """A reply of failure, after the retries that it was worth."""
        raw = self._without_key(reply.content).decode(errors="replace")
        try:
            told = json.loads(raw)
        except (ValueError, RecursionError):
            told = raw
        location = reply.headers.get("location", "")
        return self._item_status(fault.read(reply.status_code, told, location), raw, reply, body)

    def _item_status(
        self, told: fault.Fault, raw: str, reply: httpx2.Response, body: Mapping[str, Any]
    ) -> Answer:
        status, why = fault.status(self._judge, told, body, self._environ)
        found = Answer(status, why, raw)
        return found._replace(latency=_seconds(reply), http_status=reply.status_code)

    async def _head(self, body: Mapping[str, Any]) -> "_Head":
        """Address and headers of a request, as the openai client writes them.

        It writes those of the first request to each model; the others are the same but for the
        body, and its own way to every request takes longer than all else that a run does.
        """
        model = body.get("model")
        if model not in self._heads:
            try:
                await self._draft.post(
                    "/chat/completions",
                    cast_to=httpx2.Response,
                    body={"model": model},
                    options={"headers": _omitted(self._judge)},
                )
            except _Drafted as drafted:
                self._heads[model] = drafted.head
        return self._heads[model]

    def _without_key(self, content: bytes) -> bytes:
        """The body with the key taken out, should a server repeat it."""
        if self._key == secret.NO_KEY:
            return content
        return content.replace(self._key.encode(), b"[key]")


class _Head(NamedTuple):
    """Where requests go, and what stands above their bodies."""

    url: httpx2.URL
    headers: list[tuple[bytes, bytes]]
    method: str = "POST"


class _Tried(NamedTuple):
    """One attempt: when it was sent, and the reply, or the answer where none could be read."""

    sent: float
    reply: httpx2.Response | None = None
    answer: Answer | None = None


class _Drafted(openai.OpenAIError):
    """A request that the openai client has written and nobody has sent."""

    def __init__(self, request: httpx2.Request):
        super().__init__("a request was written")
        kept = [(k, v) for k, v in request.headers.raw if k.decode().lower() not in OF_ONE_REQUEST]
        self.head = _Head(request.url, kept)


class _Draft(httpx2.AsyncBaseTransport):
    """Stands where the network would be, and hands every request back."""

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        raise _Drafted(request)


class _Unreachable(Exception):
    """No connection could be made, and none ever was."""


class _TooLarge(Exception):
    """A reply is longer than anything a judge would write."""


class _Wire(openai.DefaultAioHttpClient):
    """The HTTP client underneath: bounds each attempt in time and size, and follows nowhere."""

    def __init__(
        self,
        judge: Judge,
        environ: Mapping[str, str],
        transport: httpx2.AsyncBaseTransport | None,
        reply_bytes: int,
    ):
        given = {"transport": transport} if transport else {"verify": httpx2.create_ssl_context()}
        super().__init__(**given, trust_env=False, proxy=judge.endpoint.proxy)
        self._seconds = judge.endpoint.timeout_s
        limits = httpx2.Timeout(judge.endpoint.timeout_s, connect=CONNECT_TIMEOUT_S)
        self._limits = {"timeout": limits.as_dict()}
        self._reply_bytes = reply_bytes
        self._reached = False

    async def attempt(self, head: "_Head", content: bytes) -> httpx2.Response:
        """One attempt: a reply that is read, or a TimeoutException or TransportError of httpx2.

        It goes straight to the transport: there are no redirects, cookies or further hooks.
        """
        request = httpx2.Request(
            head.method, head.url, headers=head.headers, content=content, extensions=self._limits
        )
        begun = time.perf_counter()
        try:
            async with asyncio.timeout(self._seconds):
                reply = await self._read(request)
        except TimeoutError:
            raise httpx2.ReadTimeout("no reply in time", request=request) from None
        except (httpx2.TransportError, aiohttp.ClientError, OSError) as error:
            raise self._translated(error, request) from error
        self._reached = True
        reply.extensions["seconds"] = time.perf_counter() - begun
        return reply

    async def _read(self, request: httpx2.Request) -> httpx2.Response:
        """The reply with its body, which may not be longer than allowed."""
        reply = await self._transport_for_url(request.url).handle_async_request(request)
        try:
            if int(reply.headers.get("content-length") or 0) > self._reply_bytes:
                raise _TooLarge(_too_large(self._reply_bytes))
            reply.stream = _Bounded(reply.stream, self._reply_bytes)
            await reply.aread()
        finally:
            await reply.aclose()
        return reply

    def _translated(self, error: Exception, request: httpx2.Request) -> Exception:
        cause = error.__cause__ or error
        if _never_connected(error) and not self._reached:
            return _Unreachable(_reason(cause))
        if isinstance(cause, aiohttp.ServerTimeoutError):
            return httpx2.ReadTimeout("no reply in time", request=request)
        if isinstance(cause, aiohttp.ClientError | OSError):
            return httpx2.RemoteProtocolError("the connection broke off", request=request)
        return error


class _Bounded(httpx2.AsyncByteStream):
    """A body that may not grow beyond a number of bytes."""

    def __init__(self, stream: httpx2.AsyncByteStream, limit: int):
        self._stream, self._limit = stream, limit

    async def __aiter__(self) -> AsyncIterator[bytes]:
        read = 0
        async for chunk in self._stream:
            read += len(chunk)
            if read > self._limit:
                raise _TooLarge(_too_large(self._limit))
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()


def _connect(judge: Judge, environ: Mapping[str, str], key: str) -> openai.AsyncOpenAI:
    """The openai client that writes requests, with the key where that server looks for it."""
    endpoint, url = judge.endpoint, judge.url(environ)
    style = endpoint.auth_style()
    headers = {"Accept-Encoding": "identity", **judge.extra_headers, **secret.headers(judge, key)}
    drafts = httpx2.AsyncClient(transport=_Draft(), trust_env=False)
    common = {"http_client": drafts, "max_retries": 0, "default_headers": headers}
    if endpoint.azure_endpoint is not None:
        named = {"azure_ad_token": key} if style == "bearer" else {"api_key": key}
        client = openai.AsyncAzureOpenAI(
            azure_endpoint=endpoint.azure_endpoint,
            api_version=endpoint.api_version,
            **named,
            **common,
        )
    else:
        client = openai.AsyncOpenAI(base_url=url, api_key=key, **common)
    if urlsplit(url).hostname != "api.openai.com":
        # The client takes these from the environment, and they are nobody else's business.
        client.organization = client.project = None
    return client


def _omitted(judge: Judge) -> dict[str, Any]:
    """Headers that the openai client would add and this server must not get."""
    own = judge.endpoint.auth_style() in ("api-key", "x-api-key")
    azure = judge.endpoint.azure_endpoint is not None
    return {"Authorization": openai.Omit()} if own and not azure else {}


def _never_connected(error: BaseException) -> bool:
    """Whether an error says that no connection was made, rather than that one broke."""
    cause = error.__cause__
    if isinstance(cause, aiohttp.ClientError):
        return isinstance(cause, aiohttp.ClientConnectorError | aiohttp.ConnectionTimeoutError)
    return isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout)


def _reason(error: BaseException) -> str:
    """Why no connection was made, in words that leave the address out."""
    if isinstance(error, aiohttp.ClientConnectorDNSError):
        return "the host name is unknown"
    if isinstance(error, aiohttp.ClientSSLError):
        return "its TLS certificate is not trusted"
    if isinstance(getattr(error, "os_error", error), ConnectionRefusedError):
        return "the connection was refused"
    return "no connection could be made"


def _too_large(limit: int) -> str:
    return f"The reply is larger than {limit:,} bytes."


def _seconds(reply: httpx2.Response) -> float:
    return reply.extensions["seconds"]
