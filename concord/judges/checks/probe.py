"""Trials: test cases of a judge with a known result, and the connection they use."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from typing import Any, NamedTuple

from concord import clock
from concord.definitions import canonical_json
from concord.judges.definition import prices
from concord.judges.definition.judge_price import Request, price_of
from concord.judges.definition.model import Judge
from concord.judges.metric_runs import embedding
from concord.judges.metric_runs.undefined import Undefined
from concord.judges.transport.response import Answer
from concord.messages import quoted, said

AT_ONCE = 4
LONG = 80  # of a text that is quoted, in characters
LONG_COMPARED = 300  # of a text that it is compared with


class ExpectedRequest(NamedTuple):
    """One request that a trial is expected to send, and what it takes."""

    body: Mapping[str, Any]
    request: Request

    def key(self) -> str:
        """Return a key equal for equal requests, which are sent once for all trials."""
        return canonical_json([self.request.judge.name, self.body])


class TrialResult(NamedTuple):
    """A trial's result in words, and if it is right."""

    words: str
    is_right: bool


class Trial(NamedTuple):
    """A test case with a known result.

    `asked` quotes the texts it is about and those they are compared with, `under` is the rubric and
    criterion or the metric, `right` the right results in words, any of them. `sends` are the
    requests it will probably send; `ask` sends them over a line and raises Undefined, or ValueError
    with the reason, without a result.
    """

    name: str
    about: str
    asked: str
    under: str
    right: tuple[str, ...]
    sends: tuple[ExpectedRequest, ...]
    ask: Callable[["TrialConnection"], Awaitable[TrialResult]]


def quoted_texts(*texts: str, compared_with: Sequence[str] = ()) -> str:
    """Return texts in quotes with their companion texts, each once and shortened; none is empty."""
    asked, held = _quotes(texts, LONG), _quotes(compared_with, LONG_COMPARED)
    if asked and held:
        return said("{asked} compared with {held}", asked=asked, held=held)
    return asked or held


def _quotes(texts: Sequence[str], most: int) -> str:
    short = dict.fromkeys(" ".join(text.split()) for text in texts)
    cut = (f"{one[:most]}…" if len(one) > most else one for one in short if one)
    return quoted(cut, " ")


def of_one(
    name: str,
    about: str,
    asked: str,
    under: str,
    right: Sequence[str],
    sent: ExpectedRequest,
    read: Callable[[Any], str],
) -> Trial:
    """A trial of one request; `read` takes the raw completion to the verdict in a word."""

    async def ask(line: TrialConnection) -> TrialResult:
        word = read(await line.chat(sent.body))
        return TrialResult(word, word in right)

    return Trial(name, about, asked, under, tuple(right), (sent,), ask)


def distinct(trials: Sequence[Trial]) -> list[Request]:
    """Return every request of some trials once."""
    return list({sent.key(): sent.request for one in trials for sent in one.sends}.values())


class Lines:
    """Connections to a judge and its embedding model, shared by trials.

    Each is opened on first use. Equal requests are sent once for all trials.
    """

    def __init__(self, judge: Judge):
        self._judge = judge
        self._stack, self._gate = AsyncExitStack(), asyncio.Semaphore(AT_ONCE)
        self._clients: dict[str, asyncio.Task] = {}
        self._sent: dict[str, asyncio.Task[Answer]] = {}

    async def __aenter__(self) -> "Lines":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    async def send(self, judge: Judge, body: Mapping[str, Any], *path: str) -> tuple[Answer, bool]:
        """The answer to a request, and whether it was sent for this one."""
        key = canonical_json([judge.name, body])
        is_new = key not in self._sent
        if is_new:
            self._sent[key] = asyncio.create_task(self._send(judge, body, *path))
        return await self._sent[key], is_new

    async def _send(self, judge: Judge, body: Mapping[str, Any], *path: str) -> Answer:
        async with self._gate:
            if judge.name not in self._clients:
                self._clients[judge.name] = asyncio.create_task(self._connected(judge))
            client = await self._clients[judge.name]
            return await client.ask(body, *path)

    async def _connected(self, judge: Judge) -> Any:
        from concord.judges.transport.client import (
            Client,  # the openai package takes half a second to import
        )

        client = Client(judge, max_retries=2)
        return await self._stack.enter_async_context(client)

    def line(self) -> "TrialConnection":
        """A line for one trial."""
        return TrialConnection(self, self._judge)


class TrialConnection:
    """The connection of one trial; `cost` is that of its requests in USD, None if unknown."""

    def __init__(self, lines: Lines, judge: Judge):
        self._lines, self._judge = lines, judge
        self.cost: float | None = 0.0

    async def chat(self, body: Mapping[str, Any]) -> Any:
        """The raw completion; Undefined where none came."""
        return await self._asked(self._judge, body)

    async def embed(self, texts: Sequence[str]) -> list[embedding.Vector]:
        """The vectors of some texts; Undefined where they cannot be taken."""
        embedder = embedding.embedder(self._judge)
        if embedder is None:
            raise embedding.no_model()
        reply = await self._asked(embedder, embedding.body(embedder, texts), embedding.PATH)
        return embedding.read(reply, len(texts), None)

    async def _asked(self, judge: Judge, body: Mapping[str, Any], *path: str) -> Any:
        answer, is_new = await self._lines.send(judge, body, *path)
        if is_new:
            self._pay(judge, answer)
        if answer.status:
            raise Undefined(answer.status, answer.why)
        return answer.completion

    def _pay(self, judge: Judge, answer: Answer) -> None:
        found = price_of(prices.load(), judge, clock.today())
        spent = prices.cost(answer.usage, found)
        known = self.cost is not None and spent is not None
        self.cost = self.cost + float(spent) if known else None
