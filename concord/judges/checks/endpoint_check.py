"""Check: one call to a judge's endpoint, with what works, what it ignored and what to change."""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from concord import clock
from concord.judges.checks.check_request import ITEM, prepare, setup
from concord.judges.checks.endpoint_findings import Finding, Report, SentRequest, of_answer, retired
from concord.judges.definition import prices as definition_prices
from concord.judges.definition import providers
from concord.judges.definition.model import Judge
from concord.judges.metric_runs import embedding
from concord.judges.metric_runs.undefined import Undefined
from concord.judges.transport.endpoint_errors import EndpointProblem
from concord.judges.transport.response import Answer
from concord.messages import Problem, joined, said
from concord.store.database import Store


def of_judge(
    store: Store, judge: Judge, rubric: str | None = None, sheet_name: str | None = None
) -> SentRequest | Report:
    """The request for a judge, or the report on one that sends none.

    The sheet is needed only for a judge whose examples are graded items of a sheet.
    """
    if judge.model is None:
        return no_requests(judge, clock.today())
    return prepare(*setup(store, judge, rubric, sheet_name))


def send(sent: SentRequest | Report) -> Report:
    """Send the request, once more where the server is busy, and report on it."""
    if isinstance(sent, Report):
        return sent
    try:
        answer = asyncio.run(_ask(sent.judge, sent.body))
    except Problem as problem:
        return refused(sent, problem, clock.today())
    found = answered(sent, answer, definition_prices.load(), clock.today())
    return found._replace(findings=[*found.findings, *_embedding(sent.judge)])


def no_requests(judge: Judge, today: date) -> Report:
    """The report on a judge that sends no request: the baseline, or one that computes."""
    text = said("It runs inside Concord and sends no requests, so there is nothing to check.")
    found = [*retired(judge, today), Finding("reached", None, text)]
    return Report(judge.name, None, None, found)


def refused(sent: SentRequest, problem: Problem, today: date) -> Report:
    """The report where there is no key, or the endpoint refuses for good."""
    what = said("endpoint" if isinstance(problem, EndpointProblem) else "key")
    found = [*retired(sent.judge, today), Finding(what, False, str(problem))]
    return _report(sent, [*found, *_known(sent.judge)])


def answered(
    sent: SentRequest,
    answer: Answer,
    prices: Sequence[definition_prices.Price],
    today: date,
) -> Report:
    """The report on what a request came to."""
    found = of_answer(sent, answer, prices, today)
    return _report(sent, [*retired(sent.judge, today), *found, *_known(sent.judge)])


async def _ask(judge: Judge, body: Mapping[str, Any], *path: str) -> Answer:
    from concord.judges.transport.client import (
        Client,  # the openai package takes half a second to import
    )

    async with Client(judge, max_retries=1) as client:
        return await client.ask(body, *path)


def _embedding(judge: Judge) -> list[Finding]:
    """Test the embedding model, where the judge file names one."""
    asked = embedding.embedder(judge)
    if asked is None:
        return []
    body = embedding.body(asked, [ITEM.question])
    try:
        answer = asyncio.run(_ask(asked, body, embedding.PATH))
        if answer.status:
            return [Finding(said("embedding"), False, answer.why)]
        (vector,) = embedding.read(answer.completion, 1, None)
    except Problem as problem:
        return [Finding(said("embedding"), False, str(problem))]
    except Undefined as error:
        text = joined(" ", [error.reason, said("Name an embedding model.")])
        return [Finding(said("embedding"), False, text)]
    text = said("{model} returns embeddings of dimension {n:,}.", model=asked.model, n=len(vector))
    return [Finding(said("embedding"), True, text)]


def _known(judge: Judge) -> list[Finding]:
    """Return the recommended settings of a server with known documentation."""
    server = providers.of(judge)
    if server is None:
        return []
    advice = joined(" ", providers.advice(judge)) or said("the settings suit it.")
    text = said("By the documentation of {server}: {advice}", server=server.title, advice=advice)
    return [Finding(said("server"), None, text)]


def _report(sent: SentRequest, findings: list[Finding]) -> Report:
    return Report(sent.judge.name, sent.judge.model, sent.judge.url(), findings)
