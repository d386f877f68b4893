"""HTTP client of judges' endpoints, in OpenAI's format; `connections` carries the requests.

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

from concord import clock
from concord.definitions import encoded
from concord.judges.definition import providers
from concord.judges.definition.model import CHAT, Judge
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
# Headers of OpenAI alone, and the environment variables that they are taken from.
OF_OPENAI = {"openai-organization": "OPENAI_ORG_ID", "openai-project": "OPENAI_PROJECT_ID"}


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
        self._reached, self._headers = False, _headers(judge, self._key)
        # When the first request was sent that was told to slow down; None after a success.
        self._limited_since: float | None = None
        limits = judge.endpoint.requests_per_minute, judge.endpoint.tokens_per_minute
        self._limiter = RateLimiter(*limits)

    async def __aenter__(self) -> "Client":
        proxy = self._judge.endpoint.proxy
        is_secret = any(url.startswith("https:") for url in (self._judge.url(), proxy or ""))
        tls = None
        if is_secret:  # reading the certificates that this machine trusts takes a moment
            import httpx2

            tls = httpx2.create_ssl_context()
        # Made here and not in `__init__`: aiohttp needs a running event loop.
        self._connections = self._connections or Connections(self._reply_bytes, tls, proxy)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._connections.aclose()

    async def ask(self, body: Mapping[str, Any], path: str = CHAT) -> Answer:
        """Send one request exactly as given, and say what came of it.

        `path` is below the endpoint's URL.

        Raises:
            EndpointProblem: No further request would fare better: the key, the address, the model
                or a setting is refused, there is no credit, the server asks for a wait that is too
                long, or nothing answers at the first call.
        """
        # Serialized once: retries must send the same bytes, which are those stored.
        content = encoded(body)
        head = Head(self._judge.address(path, body.get("model")), self._headers)
        for retries in count():
            tried = await self._attempt(head, content)
            wait = self._wait(tried, retries)
            if wait is None:
                return self._answer(tried, body, retries=retries, sent=content.decode())
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

    def _answer(self, tried: "_Tried", body: Mapping[str, Any], **more: Any) -> Answer:
        """Return the result of the last attempt, with more of its fields.

        Some servers wrap an error in a success.
        """
        reply, read = tried.reply, tried.answer
        if reply is None:
            return read._replace(**more)
        if read is None:
            raw = self._without_key(reply.content).decode(errors="replace")
            try:
                told = json.loads(raw)
            except (ValueError, RecursionError):
                told = raw
        else:
            raw, told = read.raw, read.completion
        status = endpoint_errors.error_status(reply.status, told, response.OF_SUCCESS)
        more |= {"latency": reply.seconds, "http_status": reply.status}
        if read is not None and status == reply.status:
            return read._replace(**more)
        fault = endpoint_errors.read(status, told, reply.headers.get("location", ""))
        return Answer(*endpoint_errors.status(self._judge, fault, body), raw, **more)

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


def _headers(judge: Judge, key: str) -> dict[str, str]:
    """The headers of every request, with the key where the judge's server looks for it."""
    is_openai = urlsplit(judge.url()).hostname == "api.openai.com"
    own = {name: value for name, env in OF_OPENAI.items() if (value := os.environ.get(env))}
    return {
        "accept": "application/json",
        "accept-encoding": "identity",  # so that `reply_bytes` bounds what a reply takes in memory
        "content-type": "application/json",
        "user-agent": "concord",
        **(own if is_openai else {}),
        **{name.lower(): value for name, value in judge.extra_headers.items()},
        **api_keys.headers(judge, key),
    }
