"""One question to a judge over its client, by a real server or with a function in its place.

An event loop whose time is its own: where there is nothing to do but wait, the wait is over.

What is run here takes no time, and its times are exact however slow or busy the machine is. It is
for code that waits on nothing but its own timers: no server could answer in time.
"""

import asyncio
import inspect
import json
import math
import selectors
from collections.abc import Coroutine
from typing import Any

from concord.judges.definition.model import parse
from concord.judges.prompting.request import PLACEHOLDER, request
from concord.judges.transport.client import Client
from concord.judges.transport.connections import Reply
from concord.rubrics.model import presets
from tests.support.environment import environment


def run(what: Coroutine) -> Any:
    """As `asyncio.run`, in virtual time, which begins at 0 s."""
    with asyncio.Runner(loop_factory=_Loop) as runner:
        return runner.run(what)


class _Jumps(selectors.DefaultSelector):
    """Waits for files as any selector does, but passes over the time it was to wait at most."""

    now = 0.0

    def select(self, timeout: float | None = None) -> list:
        """What is ready; without a time-out there is no timer to jump to, so it truly waits."""
        ready = super().select(None if timeout is None else 0)
        if timeout and not ready:
            self.now += timeout
        # Time never stands still, else a timer set a hair too early would be set again for ever.
        self.now = math.nextafter(self.now, math.inf)
        return ready


class _Loop(asyncio.SelectorEventLoop):
    def __init__(self):
        self._jumps = _Jumps()
        super().__init__(self._jumps)

    def time(self) -> float:
        return self._jumps.now


RUBRIC = presets()["doc-qa-0-3"]
SECRET = "sk-very-secret"


def judge(url="https://x.example/v1", more="", endpoint=""):
    """A judge with more keys, for itself and for its endpoint."""
    text = (
        f'name = "j"\nmodel = "m"\nrubric = "doc-qa-0-3"\n{more}'
        f'[endpoint]\nbase_url = "{url}"\n{endpoint}'
    )
    return parse(text, "mine.toml")


def ask(judge_, times=1, environ=None, run=asyncio.run, **options):
    """Ask about the placeholder item; the last answer of several in a row."""

    async def go():
        async with Client(judge_, **options) as client:
            for _ in range(times - 1):
                await client.ask(request(judge_, RUBRIC, PLACEHOLDER))
            return await client.ask(request(judge_, RUBRIC, PLACEHOLDER))

    with environment(environ or {}):
        return run(go())


class Line:
    """Stands in for the connections: a function answers."""

    def __init__(self, handler):
        self._handler = handler

    async def attempt(self, head, content):
        found = self._handler(head)
        return await found if inspect.isawaitable(found) else found

    async def aclose(self):
        pass


def mocked(handler, judge_=None, environ=None, **options):
    """Ask with a function in the place of the network."""
    environ = {"OPENAI_API_KEY": SECRET} if environ is None else environ
    return ask(judge_ or judge(), environ=environ, connections=Line(handler), **options)


def replied(content):
    """A reply of success with this body: bytes, text, or what is to be its JSON."""
    if not isinstance(content, bytes):
        content = (content if isinstance(content, str) else json.dumps(content)).encode()
    return Reply(200, {}, content)


def completion(content="{}", **more):
    """The body of a chat completion."""
    return {"choices": [{"message": {"content": content}, "finish_reason": "stop"}], **more}
