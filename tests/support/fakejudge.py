"""A judge's connection that answers from memory: for tests of what a run does with the answers."""

import asyncio
import json
from collections import Counter
from collections.abc import Callable

from concord.judges.definition.model import Judge, parse
from concord.judges.run import session as engine
from concord.judges.transport.response import Answer, Unanswered, read
from tests.support.endpoint import grade_by_hash

# An address whose models have prices; nothing is ever sent there.
PRICED = "https://api.openai.com/v1"

Reply = Callable[[dict, int], Answer]


def judge(more: str = "", name: str = "mine", url: str = "http://127.0.0.1:9/v1"):
    """A judge on this machine that is free, unless its `more` or `url` say otherwise."""
    free = "" if url == PRICED else "price = 0\n"
    text = f'name = "{name}"\nmodel = "m"\nrubric = "doc-qa-0-3"\n{free}{more}\n'
    return parse(f'{text}[endpoint]\nbase_url = "{url}"\n', "mine.toml")


def good(body: dict, _: int = 0) -> Answer:
    """A grade for everything that is asked for."""
    grades = {n: {"reason": why, "score": s} for n, (s, why) in grade_by_hash(body).items()}
    return completion(json.dumps(grades))


def completion(content: str, finish: str = "stop", tokens: tuple[int, int] = (100, 20)) -> Answer:
    """A chat completion as it would come over the network."""
    usage = {"prompt_tokens": tokens[0], "completion_tokens": tokens[1]}
    message = {"message": {"content": content}, "finish_reason": finish}
    body = {"choices": [message], "usage": usage, "model": "m-2026", "system_fingerprint": "fp"}
    return read(json.dumps(body).encode())


class Fake:
    """Stands in for `client.Client`; `bodies` are the requests in order.

    Args:
        reply: Makes the answer from a request's body and how often that body came before.
        seconds: How long every answer takes.
        until: Answers wait until this holds, so that a test says when they come and no clock does.
    """

    def __init__(
        self,
        reply: Reply = good,
        seconds: float = 0.0,
        until: Callable[[], bool] = lambda: True,
    ):
        self.reply, self.seconds, self.until = reply, seconds, until
        self.bodies: list[dict] = []
        self.in_flight = self.most_in_flight = self.most_tasks = 0
        self._sent = Counter()

    def __call__(self, of: Judge | None = None) -> "Fake":
        return self

    async def __aenter__(self) -> "Fake":
        return self

    async def __aexit__(self, *_: object) -> None:
        pass

    async def ask(self, body: dict) -> Answer:
        """Answer, and note that it was asked."""
        sent = json.dumps(body.get("messages", body))
        before, self._sent[sent] = self._sent[sent], self._sent[sent] + 1
        self.bodies.append(body)
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        self.most_tasks = max(self.most_tasks, len(asyncio.all_tasks()))
        try:
            await asyncio.sleep(self.seconds)
            while not self.until():
                await asyncio.sleep(0.001)
            return self.reply(body, before)
        except asyncio.CancelledError:
            raise Unanswered from None
        finally:
            self.in_flight -= 1


def run_rubric(store, job, connect, budget=None, **options):
    """Run what a judge has left to grade."""
    return engine.run(store, job, connect, budget, **options)
