"""The network: asks a judge's endpoint through the openai client. The only module that does.

Only the configured address is contacted: redirects are not followed, and proxies named in the
environment are not used. The key is read from the environment variable that the judge file names;
it is never stored, logged or shown.
"""

import asyncio
import json
import os
import time
from collections.abc import AsyncIterator, Mapping
from typing import Any
from urllib.parse import urlsplit

import aiohttp
import httpx2
import openai

from judges import answer, fault, secret
from judges.answer import Answer
from judges.fault import EndpointProblem
from judges.model import Judge

MAX_RETRIES = 5
CONNECT_TIMEOUT_S = 10
REPLY_BYTES = 8_000_000


class Client:
    """A connection to one judge's endpoint; use it as an asynchronous context manager.

    Args:
        judge: Whose endpoint it is.
        environ: Where the key and OPENAI_BASE_URL are looked up.
        transport: What stands in for the network in tests.
        max_retries: How often one request is sent again after 408, 409, 429, 5xx, a time-out or a
            broken connection. The wait is the server's Retry-After (up to two minutes), else it
            doubles from half a second to 8 s, with jitter.
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
        self._wire = _Wire(judge, environ, transport, reply_bytes)
        self._omitted = _omitted(judge)
        self._openai = _connect(judge, environ, self._key, self._wire, max_retries)

    async def __aenter__(self) -> "Client":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._openai.close()

    async def ask(self, body: Mapping[str, Any]) -> Answer:
        """Send one chat completion request exactly as given, and say what came of it.

        Raises:
            EndpointProblem: No further request would fare better: the key, the address, the model
                or a setting is refused, there is no credit, or nothing answers at the first call.
        """
        try:
            reply = await self._openai.post(
                "/chat/completions",
                cast_to=httpx2.Response,
                body=dict(body),
                options={"headers": self._omitted},
            )
        except _Unreachable as error:
            raise EndpointProblem(
                fault.unreachable(self._judge, str(error), self._environ)
            ) from None
        except _TooLarge as error:
            return Answer("unparsable", str(error))
        except openai.APIStatusError as error:
            return self._refused(error.response, body)
        except openai.APIConnectionError as error:
            return Answer("failed", self._broken(error))
        return self._answered(reply, body)

    def _answered(self, reply: httpx2.Response, body: Mapping[str, Any]) -> Answer:
        """A reply of success; some servers wrap an error in one."""
        read = answer.read(self._without_key(reply.content))
        if read.completion and "error" in read.completion and "choices" not in read.completion:
            error = read.completion["error"]
            code = error.get("code") if isinstance(error, dict) else None
            told = fault.read(code if type(code) is int else 502, read.completion)
            return self._item_status(told, read.raw, reply, body)
        return read._replace(
            latency=_seconds(reply), retries=_retries(reply), http_status=reply.status_code
        )

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
        return Answer(
            status,
            why,
            raw,
            latency=_seconds(reply),
            retries=_retries(reply),
            http_status=reply.status_code,
        )

    def _broken(self, error: openai.APIConnectionError) -> str:
        """Why no reply came, after all retries."""
        if isinstance(error, openai.APITimeoutError) and "broke off" not in str(error.__cause__):
            return f"No reply within {self._judge.endpoint.timeout_s:g} s."
        return "The connection broke off before the reply was complete."

    def _without_key(self, content: bytes) -> bytes:
        """The body with the key taken out, should a server repeat it."""
        if self._key == secret.NO_KEY:
            return content
        return content.replace(self._key.encode(), b"[key]")


class _Unreachable(openai.OpenAIError):
    """No connection could be made, and none ever was; an OpenAIError is not sent again."""


class _TooLarge(openai.OpenAIError):
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
        super().__init__(
            **given,
            trust_env=False,
            proxy=judge.endpoint.proxy,
            follow_redirects=False,
            timeout=httpx2.Timeout(judge.endpoint.timeout_s, connect=CONNECT_TIMEOUT_S),
            event_hooks={"response": [self._inspect]},
        )
        self._seconds = judge.endpoint.timeout_s
        self._reply_bytes = reply_bytes
        self._reached = False

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        """One attempt, in the exceptions that the openai client knows how to send again."""
        begun = time.perf_counter()
        try:
            async with asyncio.timeout(self._seconds):
                reply = await super().send(request, **options)
        except TimeoutError:
            raise httpx2.ReadTimeout("no reply in time", request=request) from None
        except (httpx2.TransportError, aiohttp.ClientError, OSError) as error:
            raise self._translated(error, request) from error
        self._reached = True
        reply.extensions["seconds"] = time.perf_counter() - begun
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

    async def _inspect(self, reply: httpx2.Response) -> None:
        """Before the body is read: bound its size, and do not try again without credit."""
        if int(reply.headers.get("content-length") or 0) > self._reply_bytes:
            raise _TooLarge(_too_large(self._reply_bytes))
        reply.stream = _Bounded(reply.stream, self._reply_bytes)
        if reply.status_code == 429:
            await reply.aread()
            if fault.has_no_credit(reply.text):
                reply.headers["x-should-retry"] = "false"


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


def _connect(
    judge: Judge, environ: Mapping[str, str], key: str, wire: _Wire, max_retries: int
) -> openai.AsyncOpenAI:
    """The openai client for the endpoint, with the key where that server looks for it."""
    endpoint, url = judge.endpoint, judge.url(environ)
    style = endpoint.auth_style()
    headers = {"Accept-Encoding": "identity", **judge.extra_headers, **secret.headers(judge, key)}
    common = {"http_client": wire, "max_retries": max_retries, "default_headers": headers}
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


def _retries(reply: httpx2.Response) -> int:
    return int(reply.request.headers.get("x-stainless-retry-count", 0))
