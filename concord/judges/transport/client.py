"""HTTP client of judges' endpoints, sending what the openai client would send.

The openai client writes address and headers, and `connections` carries the requests.

Only the configured address is contacted: redirects are not followed, and proxies named in the
environment are not used. The key is read from the environment variable that the judge file names;
it is never stored, logged or shown.
"""

import asyncio
import json
import os
import random
from collections.abc import Mapping
from itertools import count
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import httpx2
import openai

from concord import clock
from concord.judges.definition import providers
from concord.judges.definition.model import Judge
from concord.judges.prompting.request import encoded
from concord.judges.transport import api_keys, endpoint_errors, rate_limit, response
from concord.judges.transport.connections import Connections, Head, NoReply, Reply, Unreachable
from concord.judges.transport.endpoint_errors import EndpointProblem
from concord.judges.transport.rate_limit import RateLimiter
from concord.judges.transport.response import Answer
from concord.messages import said

MAX_RETRIES = 5
# Being asked to slow down is no fault of the request: it is sent again more patiently.
RATE_LIMITED = (429, 503, 529)
TIMES_AS_PATIENT = 4
REPLY_BYTES = 8_000_000
# About how many bytes of a request make one of its tokens, until the server reports how many.
BYTES_PER_TOKEN = 4
# Headers that belong to one request, not to all that are like it.
OF_ONE_REQUEST = ("content-length", "idempotency-key", "x-stainless-retry-count")


class Client:
    """A connection to one judge's endpoint; use it as an asynchronous context manager.

    Args:
        judge: The judge with the endpoint.
        connections: Replacement of the connections in tests.
        max_retries: Number of retries after 408, 409, 5xx, a time-out or a broken connection, and
            four times as often after 429, 503 and 529, until `PATIENCE_S` after the last success.
            The wait is the server's Retry-After, else it doubles from half a second to 8 s, with
            jitter.
        reply_bytes: The longest reply that is read; a longer one is unparsable.

    Raises:
        Problem: There is no key, or model or address are still placeholders. Nothing was sent.
    """

    def __init__(
        self,
        judge: Judge,
        connections: Connections | None = None,
        max_retries: int = MAX_RETRIES,
        reply_bytes: int = REPLY_BYTES,
    ):
        if unfilled := providers.unfilled(judge):
            raise EndpointProblem(unfilled)
        self._judge = judge
        self._key = api_keys.key(judge)
        # Seeded by process, so that runs started together do not retry in step.
        self._max_retries, self._jitter = max_retries, random.Random(os.getpid())
        self._connections, self._reply_bytes = connections, reply_bytes
        self._reached, self._address = False, judge.address()
        # When the first request was sent that was told to slow down; None after a success.
        self._limited_since: float | None = None
        self._draft = _connect(judge, self._key)
        self._heads: dict[Any, asyncio.Task[Head]] = {}
        limits = judge.endpoint.requests_per_minute, judge.endpoint.tokens_per_minute
        self._limiter = RateLimiter(*limits)

    async def __aenter__(self) -> "Client":
        proxy = self._judge.endpoint.proxy
        is_secret = any(url.startswith("https:") for url in (self._judge.url(), proxy or ""))
        # Reading the certificates that this machine trusts takes a moment.
        tls = httpx2.create_ssl_context() if is_secret else None
        # Made here and not in `__init__`: aiohttp needs a running event loop.
        self._connections = self._connections or Connections(self._reply_bytes, tls, proxy)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._connections.aclose()
        await self._draft.close()

    async def ask(self, body: Mapping[str, Any], path: str = "") -> Answer:
        """Send one request exactly as given, and say what came of it.

        `path` is below the endpoint's URL; by default it goes where the judge's requests go.

        Raises:
            EndpointProblem: No further request would fare better: the key, the address, the model
                or a setting is refused, there is no credit, the server asks for a wait that is too
                long, or nothing answers at the first call.
        """
        # Serialized once: retries must send the same bytes, which are those stored.
        content = encoded(body)
        head = await self._head(body, path)
        for retries in count():
            tried = await self._attempt(head, content)
            wait = self._wait(tried, retries)
            if wait is None:
                return self._answer(tried, body)._replace(retries=retries, sent=content.decode())
            await asyncio.sleep(wait)

    async def _attempt(self, head: Head, content: bytes, seconds: float | None = None) -> "_Tried":
        """Send once, when the pace allows it; the judge file's `timeout_s` unless said."""
        # A token limit per minute must hold from the first request on, before any usage is
        # reported.
        guessed = len(content) // BYTES_PER_TOKEN
        seconds = seconds or self._judge.endpoint.timeout_s
        sent = await self._limiter.enter(guessed)
        try:
            # Covers connecting, sending and reading together; a per-read timeout never ends a slow
            # trickle.
            async with asyncio.timeout(seconds):
                reply = await self._connections.attempt(head, content)
        except NoReply as error:
            # Once any request was answered the address is right, and a broken connection passes.
            if isinstance(error, Unreachable) and not self._reached:
                why = endpoint_errors.unreachable(self._judge, str(error))
                raise EndpointProblem(why) from None
            return _Tried(sent, answer=Answer(error.status, str(error)))
        except TimeoutError:
            why = said("No reply within {seconds:g} s.", seconds=seconds)
            return _Tried(sent, answer=Answer("failed", why, timed_out=True))
        except asyncio.CancelledError:
            raise response.Unanswered from None
        finally:
            self._limiter.leave()
        self._reached = True
        return self._learnt(_Tried(sent, reply), guessed)

    def _learnt(self, tried: "_Tried", guessed: int) -> "_Tried":
        """Pass a reply's rate-limit information to the whole run's pace."""
        reply = tried.reply
        if reply.is_success:
            self._limited_since = None
            self._limiter.note_latency(reply.seconds)
            tried = tried._replace(answer=response.read(self._without_key(reply.content)))
            if tried.answer.usage:
                self._limiter.used(guessed, tried.answer.usage.input + tried.answer.usage.output)
        # OpenAI reports exhausted credit with 429, too; no pace helps against that.
        elif reply.status in RATE_LIMITED and not endpoint_errors.has_no_credit(reply.text):
            self._limiter.slow_down(tried.sent)
        held = rate_limit.used_up(reply.headers)
        # The server says how long its quota is used up: the whole run waits, not only this request.
        if held:
            self._limiter.hold(min(held, rate_limit.PATIENCE_S))
        return tried

    def _wait(self, tried: "_Tried", retries: int) -> float | None:
        """Seconds before the request is sent again; None where what came is what there is."""
        reply = tried.reply
        wait = rate_limit.backoff(retries, self._jitter)
        # A connection that broke may have reached the server; a repeated request can be paid twice,
        # but an answer that is missing would be lost for certain.
        if reply is None:
            passing = tried.answer.status == "failed"
            return wait if passing and retries < self._max_retries else None
        if reply.is_success:
            return None
        # Rate limits get more retries than errors, because they say nothing about the request
        # itself.
        limited = reply.status in RATE_LIMITED
        most = self._max_retries * (TIMES_AS_PATIENT if limited else 1)
        passing = endpoint_errors.is_passing(reply.status, reply.headers, reply.text)
        if limited and self._limited_since is None:
            self._limited_since = tried.sent
        # One patience for the run: a server that does nothing but limit would have that of each
        # request, one after the other.
        over = limited and tried.sent - self._limited_since > rate_limit.PATIENCE_S
        if not passing or retries >= most or over:
            return None
        asked = rate_limit.retry_after(reply.headers, clock.seconds())
        wait = wait if asked is None else asked
        if not limited:
            return min(wait, rate_limit.PATIENCE_S)
        if wait > rate_limit.PATIENCE_S:
            raise EndpointProblem(endpoint_errors.long_wait(self._judge, wait))
        # Every request of the run waits, this one included, so it must not sleep here as well.
        self._limiter.hold(wait)
        return 0.0

    def _answer(self, tried: "_Tried", body: Mapping[str, Any]) -> Answer:
        """Return the result of the last attempt; some servers wrap an error in a success."""
        reply, read = tried.reply, tried.answer
        if reply is None:
            return read
        if read is None:
            raw = self._without_key(reply.content).decode(errors="replace")
            try:
                told = json.loads(raw)
            except (ValueError, RecursionError):
                told = raw
        else:
            raw, told = read.raw, read.completion
        status = endpoint_errors.error_status(reply.status, told, response.OF_SUCCESS)
        reached = {"latency": reply.seconds, "http_status": reply.status}
        if read is not None and status == reply.status:
            return read._replace(**reached)
        fault = endpoint_errors.read(status, told, reply.headers.get("location", ""))
        return Answer(*endpoint_errors.status(self._judge, fault, body), raw, **reached)

    async def _head(self, body: Mapping[str, Any], path: str = "") -> Head:
        """Address and headers of a request, as the openai client writes them.

        It writes those of the first request to each model and path; the others are the same but
        for the body, and its own way to every request takes longer than all else that a run does.
        """
        place = body.get("model"), path or self._address
        if place not in self._heads:
            # The task is kept rather than its result: workers that start together await the same
            # one.
            self._heads[place] = asyncio.create_task(self._drafted(*place))
        return await self._heads[place]

    async def _drafted(self, model: Any, path: str) -> Head:
        """Return the headers the openai client writes for a request to a model."""
        endpoint = self._judge.endpoint
        own = endpoint.auth_style() in ("api-key", "x-api-key") and not endpoint.azure_endpoint
        # It would add this header, which such a server must not get.
        omitted = {"Authorization": openai.Omit()} if own else {}
        try:
            await self._draft.post(
                path,
                cast_to=httpx2.Response,
                body={"model": model},
                options={"headers": omitted},
            )
        except _Drafted as drafted:
            return drafted.head

    def _without_key(self, content: bytes) -> bytes:
        """The body with the key taken out, should a server repeat it."""
        # A placeholder key such as `none` is an ordinary word that replies contain.
        if api_keys.is_word(self._key):
            return content
        return content.replace(self._key.encode(), b"[key]")


class _Tried(NamedTuple):
    """One attempt: when it was sent, and the reply, or the answer where none could be read."""

    sent: float
    reply: Reply | None = None
    answer: Answer | None = None


class _Drafted(openai.OpenAIError):
    """A request written by the openai client and not sent."""

    def __init__(self, request: httpx2.Request):
        super().__init__("a request was written")
        written = [(name.decode(), value.decode()) for name, value in request.headers.raw]
        kept = [(name, value) for name, value in written if name.lower() not in OF_ONE_REQUEST]
        self.head = Head(str(request.url), kept)


class _Draft(httpx2.AsyncBaseTransport):
    """A transport that returns every request instead of sending it."""

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        raise _Drafted(request)


def _connect(judge: Judge, key: str) -> openai.AsyncOpenAI:
    """The openai client that writes requests, with the key where that server looks for it."""
    endpoint, url = judge.endpoint, judge.url()
    style = endpoint.auth_style()
    # Uncompressed, so that `reply_bytes` bounds what a reply takes in memory.
    headers = {"Accept-Encoding": "identity", **judge.extra_headers, **api_keys.headers(judge, key)}
    # A proxy named in the environment would see the key and every answer.
    drafts = httpx2.AsyncClient(transport=_Draft(), trust_env=False)
    # Its own retries are switched off: `ask` retries, counts the attempts and shares the pace.
    common = {"http_client": drafts, "max_retries": 0, "default_headers": headers}
    if endpoint.azure_endpoint is not None:
        common |= {"azure_ad_token" if style == "bearer" else "api_key": key}
        place = {"azure_endpoint": endpoint.azure_endpoint, "api_version": endpoint.api_version}
        client = openai.AsyncAzureOpenAI(**place, **common)
    else:
        client = openai.AsyncOpenAI(base_url=url, api_key=key, **common)
    if urlsplit(url).hostname != "api.openai.com":
        # The client takes these from the environment, and no other server may learn them.
        client.organization = client.project = None
    if not api_keys.may_be_sent("OPENAI_API_KEY", url):
        client._custom_headers = headers  # without those that OPENAI_CUSTOM_HEADERS adds to them
    return client
