"""Metric runs: computes what metrics a job has left, item by item, and keeps every reply.

It can be killed at any moment: replies, units and verdicts that were on disk stay, and the next run
asks only what is missing.
"""

import asyncio
import math
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any

from concord.judges.definition.model import Judge
from concord.judges.metric_runs import embedding
from concord.judges.metric_runs.chosen_metrics import ChosenMetric, Criterion
from concord.judges.metric_runs.metric_session import RequestingSession
from concord.judges.metric_runs.shared_run import Halted, JudgeConnection, SharedRun
from concord.judges.metric_runs.tasks import Task
from concord.judges.metric_runs.undefined import Undefined
from concord.judges.prompting.verdict import Verdict
from concord.judges.running.job import Connect
from concord.judges.transport.response import Answer
from concord.messages import Problem, joined, said
from concord.model import Item
from concord.store import items
from concord.store.grades import Press
from concord.store.metric_values import NewMetricValue


@dataclass(kw_only=True)
class MetricRun(SharedRun):
    """A judge asked for metrics: a task is one content and repeat, with several requests."""

    metrics: Sequence[ChosenMetric]
    criteria: Mapping[str, Criterion]
    at_work: dict[str, asyncio.Lock] = field(default_factory=dict)

    async def connect(self, stack: AsyncExitStack, connect: Connect) -> None:
        """Prepare the lines that metrics may need; each is connected when it is first used."""
        judge = self.job.judge
        if judge.model is not None:
            self.chat = JudgeConnection(judge, _Lazy(stack, connect, judge))
        embedder = embedding.embedder(judge)
        if embedder is not None:
            self.embedding = JudgeConnection(
                embedder, _Lazy(stack, connect, embedder, embedding.PATH)
            )
            self.identity = judge.embedding.identity()

    async def work(self, task: Task) -> None:
        """Compute the metrics of one content; its repeats one by one, since they share units."""
        async with self.at_work.setdefault(task.content_hash, asyncio.Lock()):
            verdicts = []
            for item_id, names in task.todo:
                values = await self._item(task, item_id, names)
                verdicts += [Verdict(one.press.status, why=one.press.reason) for one in values]
                if len(values) < len(names):
                    return  # the run ends; what is open stays open
            self.counts.note_done(verdicts)

    async def _item(self, task: Task, item_id: int, names: tuple[str, ...]) -> list[NewMetricValue]:
        """Compute metrics of one item and store them; fewer than asked for if the run ends."""
        stored = items.item(self.reader, item_id)
        session, values = RequestingSession(self, stored, task.repeat), []
        try:
            for metric in self.metrics:
                if metric.name in names and self.is_open():
                    values.append(await self._value(metric, stored.item, session))
        except Halted:
            pass
        await self.land([], [], measured=values)
        return values

    async def _value(
        self, metric: ChosenMetric, item: Item, session: RequestingSession
    ) -> NewMetricValue:
        """One metric value with its parts, flags and units, or why it is undefined."""
        press = Press(
            session.item_id,
            self.criteria[metric.name].version,
            self.grader_id,
            repeat=session.repeat,
            run_id=self.id,
        )
        lacking = metric.lacks(item)
        if lacking:
            reason = said("It has {lacking}.", lacking=joined(" and ", lacking))
            return NewMetricValue(press._replace(status="missing_input", reason=reason))
        session.lists.clear()
        try:
            outcome = await metric.find(item, session)
        except Undefined as error:
            press = press._replace(status=error.status, reason=error.reason)
            return NewMetricValue(press, lists=tuple(session.lists.values()))
        _check(metric, outcome)
        press = press._replace(status=outcome.status, score=outcome.value, reason=outcome.reason)
        details = dict(outcome.parts), tuple(outcome.flags), outcome.units
        return NewMetricValue(press, *details, tuple(session.lists.values()))


class _Lazy:
    """Sends to a path of a judge's server, connected at the first request."""

    def __init__(self, stack: AsyncExitStack, connect: Connect, judge: Judge, *path: str):
        self._stack, self._connect, self._judge, self._path = stack, connect, judge, path
        self._client: Any = None
        self._connecting = asyncio.Lock()

    async def __call__(self, body: dict[str, Any]) -> Answer:
        async with self._connecting:
            if self._client is None:
                made = self._connect(self._judge)
                self._client = await self._stack.enter_async_context(made)
        return await self._client.ask(body, *self._path)


def _check(metric: ChosenMetric, outcome: Any) -> None:
    """Reject an outcome that has neither a value nor a reason."""
    numbers = [outcome.value, *outcome.parts.values()]
    if any(number is not None and not math.isfinite(number) for number in numbers):
        raise Problem(
            "{metric} gave a value that is not a number. Its file must give a reason for a "
            "missing value.",
            metric=metric.name,
        )
    if outcome.value is None and outcome.status == "scored":
        raise Problem(
            "{metric} gave neither a value nor a reason. Its file must give a reason for a "
            "missing value.",
            metric=metric.name,
        )
    if outcome.value is not None and outcome.status != "scored":
        raise Problem(
            "{metric} gave {value} with status {status}.",
            metric=metric.name,
            value=outcome.value,
            status=outcome.status,
        )
