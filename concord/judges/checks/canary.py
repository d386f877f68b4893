"""Canaries: small items with a known verdict, for testing a judge.

No data of a sheet is sent and nothing is stored: verdicts and cost are displayed.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from concord import clock
from concord.definitions import Frozen, canonical_json
from concord.judges.checks.endpoint_check import Setup, item_of
from concord.judges.definition import prices
from concord.judges.definition.model import Judge, Shot
from concord.judges.definition.prices import PricedRequest, price_of
from concord.judges.prompting import metric_request
from concord.judges.prompting.metric_request import Undefined
from concord.judges.prompting.request import prompt_band, reply_band, request
from concord.judges.run.estimate import Estimate
from concord.judges.run.progress import usd
from concord.judges.transport.client import Client
from concord.judges.transport.response import Answer
from concord.messages import counted, joined, quoted, small, span
from concord.model import Item
from concord.rubrics.model import Criterion, Rubric, read_text, validated

AT_ONCE = 4
LONG = 80  # of a text that is quoted, in characters
LONG_COMPARED = 300  # of a text that it is compared with


# A request that a trial is expected to send, as body and what it takes.
ExpectedRequest = tuple[Mapping[str, Any], PricedRequest]


class Trial(NamedTuple):
    """A test case with a known result.

    `asked` quotes the texts it is about and those they are compared with, `under` is the rubric and
    criterion or the metric, `right` the right results in words, any of them. `sends` are the
    requests it will probably send; `ask` sends them and returns the result in words and whether it
    is right, or raises Undefined, or ValueError with the reason, where there is none.
    """

    name: str
    asked: str
    under: str
    right: tuple[str, ...]
    sends: tuple[ExpectedRequest, ...]
    ask: Callable[["Connection"], Awaitable[tuple[str, bool]]]


def quoted_texts(*texts: str, compared_with: Sequence[str] = ()) -> str:
    """Return texts in quotes with their companion texts, each once and shortened; none is empty."""
    parts = []
    for some, most in ((texts, LONG), (compared_with, LONG_COMPARED)):
        short = dict.fromkeys(" ".join(text.split()) for text in some)
        cut = (f"{one[:most]}…" if len(one) > most else one for one in short if one)
        parts.append(quoted(cut, " "))
    return joined(" compared with ", parts)


def of_one(
    name: str,
    asked: str,
    under: str,
    right: Sequence[str],
    sent: ExpectedRequest,
    read: Callable[[Any], str],
) -> Trial:
    """A trial of one request; `read` takes the raw completion to the verdict in a word."""

    async def ask(line: Connection) -> tuple[str, bool]:
        word = read(await line.chat(sent[0]))
        return word, word in right

    return Trial(name, asked, under, tuple(right), (sent,), ask)


class Connection:
    """Connections to a judge and its embedding model, shared by its trials.

    Equal requests are sent once. `cost` is that of all requests in USD; None if unknown.
    """

    def __init__(self, judge: Judge):
        self._judge, self._embedder = judge, metric_request.embedder(judge)
        self.cost: Decimal | None = Decimal(0)
        self._stack, self._gate = AsyncExitStack(), asyncio.Semaphore(AT_ONCE)
        self._clients: dict[str, Any] = {}
        self._sent: dict[str, asyncio.Task[Answer]] = {}

    async def __aenter__(self) -> "Connection":
        for one in (self._judge, self._embedder):
            if one is not None and one.model:
                opened = self._stack.enter_async_context(Client(one, max_retries=2))
                self._clients[one.name] = await opened
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    async def chat(self, body: Mapping[str, Any]) -> Any:
        """The raw completion; Undefined where none came."""
        return await self._asked(self._judge, body)

    async def embed(self, texts: Sequence[str]) -> list[metric_request.Vector]:
        """The vectors of some texts; Undefined where they cannot be taken."""
        if self._embedder is None:
            raise metric_request.no_model()
        body = metric_request.embedding_body(self._embedder, texts)
        reply = await self._asked(self._embedder, body, metric_request.EMBEDDINGS_PATH)
        return metric_request.vectors_of(reply, len(texts), None)

    async def _asked(self, judge: Judge, body: Mapping[str, Any], *path: str) -> Any:
        key = _key(judge, body)
        if key not in self._sent:
            self._sent[key] = asyncio.create_task(self._send(judge, body, *path))
        answer = await self._sent[key]
        if answer.status:
            raise Undefined(answer.status, answer.why)
        return answer.completion

    async def _send(self, judge: Judge, body: Mapping[str, Any], *path: str) -> Answer:
        async with self._gate:
            answer = await self._clients[judge.name].ask(body, *path)
        spent = prices.cost(answer.usage, price_of(prices.load(), judge, clock.today()))
        self.cost = None if None in (self.cost, spent) else self.cost + spent
        return answer


def _key(judge: Judge, body: Mapping[str, Any]) -> str:
    """Return a key equal for equal requests, which are sent once for all trials."""
    return canonical_json([judge.name, body])


FILE = Path(__file__).parent / "canaries.toml"


class Canary(Frozen):
    """A canary as in the file: a whole answer, a claim with evidence, or a passage for an answer.

    `everywhere` tests a claim under every rubric of units.
    """

    name: str
    question: str
    right: str
    context: str = ""
    reference: str = ""
    answer: str = ""
    evidence: str = ""
    claim: str = ""
    passage: str = ""
    everywhere: bool = False


class Canaries(Frozen):
    """The canaries of one file.

    Whole answers pass or fail on the heaviest criterion of any rubric.
    """

    answer: tuple[Canary, ...]
    claim: tuple[Canary, ...]
    passage: tuple[Canary, ...]


class Outcome(NamedTuple):
    """A judge's results on its canaries; `untried` lists what had no canary, in sentences.

    Each of `canaries` has the first fields of its trial; with what the judge `said`, '' and `why`
    where the reply was unusable, and whether that `holds`.
    """

    judge: str
    canaries: list[dict[str, Any]]
    cost_usd: float | None
    untried: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """True where all of them passed; a judge without canaries passes."""
        return all(one["holds"] for one in self.canaries)


@cache
def load() -> Canaries:
    """The canaries that ship."""
    return validated(Canaries, read_text(FILE), f"{FILE.parent.name}/{FILE.name}")


def offer(trials: Sequence[Trial]) -> tuple[str, bool]:
    """Return number and approximate cost of the requests in words, and whether they are free.

    Equal requests of several trials count once.
    """
    sends = (sent for one in trials for sent in one.sends)
    requests = [*{_key(taken.judge, body): taken for body, taken in sends}.values()]
    calls = counted(len(requests), "request")
    if not requests:
        return calls, True
    band = Estimate.of(requests[0].judge, requests, scale=1.0).cost
    if band is None:
        return f"{calls}, price unknown", False
    cost = span(*(usd(float(one)) for one in band)) if band[1] else "free"
    return f"{calls}, {cost}", not band[1]


def send(judge: Judge, trials: Sequence[Trial], untried: Sequence[str] = ()) -> Outcome:
    """Send all canaries to the judge, each once; `untried` is passed on to the outcome.

    Raises:
        Problem: There is no key, or the endpoint denies every request.
    """

    async def tried(one: Trial, line: Connection) -> dict[str, Any]:
        words, is_right, why = "", False, ""
        try:
            words, is_right = await one.ask(line)
        except (Undefined, ValueError) as error:
            why = str(error)
        about = dict(zip(Trial._fields[:4], one, strict=False))
        return about | {"said": words, "why": why, "holds": is_right}

    async def all_tried() -> Outcome:
        async with Connection(judge) as line:
            found = await asyncio.gather(*(tried(one, line) for one in trials))
            cost = line.cost if line.cost is None else float(line.cost)
            return Outcome(judge.name, found, cost, tuple(untried))

    return asyncio.run(all_tried())


class Trials(NamedTuple):
    """The canaries of a judge, and sentences on what has no canary."""

    judge: Judge
    trials: list[Trial]
    untried: tuple[str, ...] = ()


def of_rubric(judge: Judge, rubric: Rubric, shots: Sequence[Shot] = ()) -> Trials:
    """Return the canaries of a judge by a rubric: plain cases, and the rubric's own examples.

    Of the plain cases only the heaviest criterion counts, as pass or fail. An example must get its
    own score.
    """
    by, heaviest = Setup(judge, rubric, shots), rubric.heaviest()
    failing = rubric.failing(heaviest)
    words = {score: "fails" if score in failing else "passes" for score in rubric.scale}
    made = []
    for one in load().answer:
        item = item_of(one.question, one.context, one.answer, one.reference)
        made.append(_graded(by, heaviest, one.name, item, one.right, words))
    scores = {score: str(score) for score in rubric.scale}
    for criterion in rubric.criteria:
        for level in criterion.levels:
            name = f"example of {level.score}"
            for one in level.examples:
                item = item_of(one.question, one.context, one.answer, "")
                made.append(_graded(by, criterion, name, item, str(level.score), scores))
    return Trials(judge, made)


def _graded(
    by: Setup, criterion: Criterion, name: str, item: Item, right: str, words: dict[int, str]
) -> Trial:
    """One answer under a criterion; what else the reply grades is not looked at."""
    judge, rubric, shots = by
    part, asked = next((p, c) for p, c in judge.parts(rubric).items() if criterion in c)
    names = [one.name for one in asked]

    def read(completion: Any) -> str:
        verdict = judge.read(completion, names, rubric.scale)[criterion.name]
        if verdict.score is None:
            raise ValueError(verdict.why)
        return words[verdict.score]

    body = request(judge, rubric, item, part, shots)
    taken = PricedRequest(judge, judge.model, prompt_band(body), reply_band(judge, len(names)))
    held = [*(one.text for one in item.contexts), *item.reference]
    texts = quoted_texts(item.question, item.answer, compared_with=held)
    under, sent = small(criterion.heading()), (body, taken)
    return of_one(name, texts, under, (right,), sent, read)
