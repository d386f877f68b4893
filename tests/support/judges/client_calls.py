"""One question to a judge over its client, by a real server or with a function in its place."""

import asyncio
import inspect
import json

from concord.judges.definition.model import parse
from concord.judges.prompting.request import PLACEHOLDER, request
from concord.judges.transport.client import Client
from concord.judges.transport.connections import Reply
from concord.rubrics.model import presets
from tests.support.environment import environment

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
