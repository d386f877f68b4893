"""Metric runs: the metric values that a judge has still to find on a sheet.

A task is a content and repeat, with several requests for each metric. What is on disk is never
asked again, and what is being asked already (by another metric, item or repeat) is awaited; every
reply is on disk before the next request is sent.
"""

import asyncio
import json
import math
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, product
from typing import Any, NamedTuple

from concord.definitions import canonical_json, digest
from concord.judges.definition import endpoint
from concord.judges.definition.model import Judge
from concord.judges.definition.prices import PricedRequest
from concord.judges.metric_results import (
    Choice,
    ChosenMetric,
    Criterion,
    Rehearsal,
    StoredResults,
    criteria,
    rehearsed,
)
from concord.judges.prompting import metric_request
from concord.judges.prompting.metric_request import Undefined
from concord.judges.prompting.reply import Verdict
from concord.judges.prompting.request import route
from concord.judges.run.job import ATTEMPTS, JudgeJob, Work, blocks, by_state
from concord.judges.run.session import Line, Session
from concord.judges.run.writer import commit
from concord.messages import Problem, joined
from concord.model import Cell, Item, Sheet, Unit
from concord.rubrics.model import Rubric
from concord.store import graders, items, metric_values, vectors
from concord.store.database import Store
from concord.store.grades import Press
from concord.store.items import Stored
from concord.store.metric_values import NewMetricValue
from concord.store.rubrics import rubric_versions
from concord.store.runs import Reply
from concord.store.units import units

AT_ONCE = 500  # items are read so many at a time
NOBODY = -1  # a grader that has said nothing
TOO_LONG = Undefined("too_long", "The request does not fit the model's context.")


# What is asked for: a part and a repeat, or a text and 0.
Key = tuple[str, int]


class Task(NamedTuple):
    """One content and repeat: the metrics to be found of each item that holds it."""

    content_hash: str
    repeat: int
    todo: tuple[tuple[int, tuple[str, ...]], ...]


@dataclass(frozen=True, kw_only=True)
class MetricJob(JudgeJob):
    """Metric values that a judge has left to find.

    `criteria` is the criterion of each metric by its name. `lacks` has the items that lack an input
    by what it is in words and the metric that needs it; `left_out` says by metric why it is not
    found for any item. Which metrics the judge's file names, and which readings, makes no other
    judge of it: its file is stored as it is now.
    """

    kind = "metric"
    sampled = 100

    metrics: tuple[ChosenMetric, ...]
    criteria: Mapping[str, Criterion]
    left_out: Mapping[str, str]
    lacks: Mapping[str, Mapping[str, set[int]]] = field(default_factory=dict)

    def register(self, store: Store) -> int:
        """Return the judge's id as a grader, made now where it is new."""
        made = super().register(store)
        graders.define(store, made, self.definition())
        return made

    def scope(self) -> dict[str, Any]:
        """Return the scope of a run, as stored with it."""
        return super().scope() | {"metrics": [metric.name for metric in self.metrics]}

    @property
    def embedding(self) -> str:
        """The identity of the embedding model, '' for none."""
        return self.judge.embedding.identity() if self.judge.embedding else ""

    def begin(self, store: Store, *of: Any, **more: Any) -> int:
        """Record the start of a run and the criteria of its metrics; returns its id."""
        for name, criterion in self.criteria.items():
            metric_values.register(store, name, *criterion)
        return super().begin(store, *of, **more)

    def left(self, store: Store) -> dict[str, Any]:
        """Sort every metric of every item and repeat by what it needs.

        The first repeat of all contents comes first, and what failed before last.
        """
        by_content, closed = self.contents(store)
        lacks, lacking = defaultdict(lambda: defaultdict(set)), set()
        for block in blocks(chain.from_iterable(by_content.values()), AT_ONCE):
            for stored, metric in product(items.items(store, block), self.metrics):
                for what in metric.lacks(stored.item):
                    lacking.add((stored.id, metric.name))
                    lacks[what][metric.name].add(stored.id)
        known = self.grader(store)
        standing = metric_values.states(store, self.sheet.id, known.id) if known else {}

        def tasks() -> Iterator[tuple[str, Task]]:
            for repeat, content_hash in product(range(1, self.repeats + 1), by_content):
                todo, has_failed = [], False
                for item_id in by_content[content_hash]:
                    names = []
                    for name, criterion in self.criteria.items():
                        found = standing.get((item_id, criterion.version, repeat))
                        if found is not None:
                            kept = found.status == "scored" or not self.retry_unscored
                            kept |= found.status == "missing_input" and (item_id, name) in lacking
                            if kept and found.status != "failed" and not found.is_stale:
                                continue
                            has_failed |= found.status == "failed"
                        names.append(name)
                    todo += [(item_id, tuple(names))] if names else []
                state = "failed" if has_failed else "new"
                yield state if todo else "settled", Task(content_hash, repeat, tuple(todo))

        return by_state(tasks()) | {"closed": closed, "lacks": lacks}

    def priced(self, store: Store, tasks: Sequence[Task]) -> Iterator[list[PricedRequest]]:
        """Return the requests of each task, without those of earlier tasks.

        They are exact apart from what depends on replies: the number of claims in a text, and
        requests that follow certain verdicts.
        """
        known, session = self.grader(store), Rehearsal()
        for task in tasks:
            for id_, names in task.todo:
                item, of = items.item(store, id_).item, (known.id if known else NOBODY, task.repeat)
                stored = StoredResults(store, id_, *of, self.embedding)
                session.turn(stored, id_, task.repeat)
                able = [one for one in self.metrics if one.name in names and not one.lacks(item)]
                rehearsed(able, item, session)
            yield [priced for _, priced in session.requests(self.judge)]

    def counted(self, requests: Sequence[list[PricedRequest]], scale: float) -> dict[str, Any]:
        """Count answers, each once per repeat: `new` are those with requests, `cached` without."""
        asking = round(scale * sum(map(bool, requests)))
        return {"new": asking, "cached": len(self.pending) - asking}

    def remarks(self, called: Callable[[str], str] = str) -> list[str]:
        """Return sentences on missing inputs of items and the metrics left out.

        `called` maps the name of a metric to its displayed name.
        """
        reasons = defaultdict(list)
        for name, why in self.left_out.items():
            reasons[why].append(called(name))
        return [
            f"{what}: {len(set().union(*by.values())):,} ({', '.join(map(called, by))})."
            for what, by in self.lacks.items()
        ] + [f"Skipped: {', '.join(names)}; {why}." for why, names in reasons.items()]

    def workload(self, session: Session) -> tuple[Iterator[Task], Work]:
        """Return the pending tasks, and what finds the metrics of one."""
        return iter(self.pending), Measuring(self, session).work


def prepare(store: Store, judge: Judge, choice: Choice, sheet: Sheet, **more: Any) -> MetricJob:
    """Find out what a judge of kind `metric`, overrides applied, has still to find on a sheet.

    `more` are fields of the job. Each number is found `repeats` times in all, from separate
    verdicts. `limit` takes only the first so many items; `retry_unscored` asks again where an
    earlier reply gave no number.
    """
    out = {}
    for metric in choice.metrics:
        if metric.asks and judge.model is None:
            out[metric.name] = "it requires a model, but the judge names none"
        elif metric.embeds and judge.embedding is None:
            out[metric.name] = endpoint.NO_EMBEDDING
    metrics = tuple(one for one in choice.metrics if one.name not in out)
    if not metrics:
        why = joined("; ", dict.fromkeys(out.values()))
        raise Problem("{judge} has no metric to compute: {why}.", judge=judge.name, why=why)
    job = MetricJob(
        judge=judge,
        metrics=metrics,
        criteria=criteria(metrics),
        left_out=out,
        sheet=sheet,
        fingerprint=metric_request.fingerprint(judge, choice.prompts),
        **more,
    )
    return job.renewed(store)


class Halted(Exception):
    """The run ends before the metric is computed; what is open stays open."""


class Measuring:
    """What the items of one run share.

    `chat` and `embedding` are None where not needed. `waiting` holds the requests in flight, by
    part and repeat, or by text and 0; `rubrics` the names of the unit rubrics in the store.
    """

    def __init__(self, job: MetricJob, session: Session):
        judge, embedder = job.judge, metric_request.embedder(job.judge)
        self.job, self.session, self.grader_id = job, session, job.register(session.reader)
        self.chat = Line(session, judge) if judge.model else None
        path = metric_request.EMBEDDINGS_PATH
        self.embedding = Line(session, embedder, path) if embedder else None
        self.identity = job.embedding
        self.waiting: dict[Key, asyncio.Future] = {}
        self.rubrics: set[str] = set()
        self._locks: dict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def work(self, task: Task) -> None:
        """Compute the metrics of one content; its repeats one by one, since they share units."""
        async with self._locks[task.content_hash]:
            results = []
            for item_id, names in task.todo:
                stored, values = items.item(self.session.reader, item_id), []
                live = LiveResults(self, stored, task.repeat)
                try:
                    for metric in self.job.metrics:
                        if metric.name in names and self.session.is_open():
                            values.append(await self._value(metric, stored.item, live))
                except Halted:
                    pass
                await self.session.land(measured=values)
                results += [Verdict(one.press.status, why=one.press.reason) for one in values]
                if len(values) < len(names):
                    return  # the run ends; what is open stays open
            self.session.counts.note_done(results)

    async def _value(self, metric: ChosenMetric, item: Item, live: "LiveResults") -> NewMetricValue:
        """One metric value with its parts, flags and units, or why it is undefined."""
        version = self.job.criteria[metric.name].version
        of = {"repeat": live.repeat, "run_id": self.session.id}
        press = Press(live.item_id, version, self.grader_id, **of)
        live.lists.clear()
        try:
            if lacking := metric.lacks(item):
                raise Undefined("missing_input", "It has {what}.", what=" and ".join(lacking))
            found = await metric.find(item, live)
        except Undefined as error:
            press = press._replace(status=error.status, reason=error.reason)
            return NewMetricValue(press, lists=tuple(live.lists.values()))
        numbers = [one for one in (found.value, *found.parts.values()) if one is not None]
        is_scored = found.value is not None
        if not math.isfinite(sum(numbers)) or is_scored != (found.status == "scored"):
            raise Problem(
                "{metric} gave {value} with status {status}. Its file must give a number, or a "
                "reason for a missing one.",
                metric=metric.name,
                value=found.value,
                status=found.status,
            )
        press = press._replace(status=found.status, score=found.value, reason=found.reason)
        details = dict(found.parts), tuple(found.flags), found.units
        return NewMetricValue(press, *details, tuple(live.lists.values()))

    async def shared(self, keys: Iterable[Key], ask: Callable[[list[Key]], Awaitable[str]]) -> str:
        """Await what `ask` gives for keys that nobody has asked for, and the others' for the rest.

        Returns the last reply.
        """
        asked = [self.waiting[key] for key in keys if key in self.waiting]
        if mine := [key for key in keys if key not in self.waiting]:
            future = asyncio.get_running_loop().create_future()
            self.waiting.update(dict.fromkeys(mine, future))
            try:
                future.set_result(await ask(mine))
            except Exception as error:
                future.set_exception(error)
                future.exception()  # whether or not anybody waits for it
                raise
            finally:
                future.cancel()  # nothing where it is done
                for key in mine:
                    del self.waiting[key]
            asked.append(future)
        for future in asked:
            # Shielded: cancelling one waiter must not cancel the request that others wait for.
            raw = await asyncio.shield(future)
        return raw

    async def until_good(
        self,
        line: Line,
        live: "LiveResults",
        part: str,
        body: dict[str, Any],
        read: Callable[[Any], Any],
    ) -> str:
        """Ask until the reply is usable, at most ATTEMPTS times; every reply goes to the disk.

        Vectors come together with their reply. A metric holds its worker while it sends several
        requests, so it cannot wait for room in the budget: without room it ends the run.
        """
        session, attempt, content = self.session, 0, live.stored.content_hash
        while body is not None and attempt < ATTEMPTS:
            if not session.may_retry():
                session.stop_over_budget()
                raise Halted
            answer, attempt = await line.send(body), attempt + 1
            status, why, raw, embedded = answer.status, answer.why, answer.raw, {}
            try:
                value = None if status else read(answer.completion)
                status = status or "scored"
            except Undefined as error:
                status, why, value = error.status, error.reason, None
            if line is self.embedding and answer.completion is not None:
                pairs = zip(body["input"], value or (), strict=False)
                embedded = {(self.identity, text): vector for text, vector in pairs}
                # The vectors have a table of their own.
                raw = json.dumps({k: v for k, v in answer.completion.items() if k != "data"})
            took = line.receipt(answer, body["model"])
            of = self.grader_id, live.item_id, content, part, live.repeat, attempt
            reply = Reply(*of, answer.sent or canonical_json(body), raw, status, took)
            session.counts.note_reply(status, took)
            await session.land([reply], vectors=embedded)
            session.note_status(status, why, answer.is_turned_away, content)
            if status == "scored":
                return raw
            body = metric_request.next_body(line.judge, body, status, why)
        raise Undefined(status, why)


class LiveResults(StoredResults):
    """The results of one item and one repeat, which asks for what is not stored."""

    def __init__(self, run: Measuring, stored: Stored, repeat: int):
        super().__init__(run.session.reader, stored.id, run.grader_id, repeat, run.identity)
        self._run, self.stored = run, stored
        self._gave_up: dict[str, Undefined] = {}

    async def ask(self, ask: Any) -> Any:
        """Return the parsed reply, stored or requested now; Undefined without a good one.

        Not asked again where this item's metrics have had no luck with the same.
        """
        part, line = metric_request.part(ask), self._run.chat

        async def send(_: Any) -> str:
            sent = metric_request.body(line.judge, ask)
            if (model := route(line.judge, sent)) is None:
                raise TOO_LONG
            sent |= {"model": model}
            read = partial(metric_request.read, ask=ask)
            return await self._run.until_good(line, self, part, sent, read)

        if (raw := self.reply(part)) is None:
            if part in self._gave_up:
                raise self._gave_up[part]
            try:
                raw = await self._run.shared([(part, self.repeat)], send)
            except Undefined as error:
                self._gave_up[part] = error
                raise
        return metric_request.read(json.loads(raw), ask)

    async def embed(self, texts: Sequence[str]) -> list[Sequence[float]]:
        """One vector per text, stored or asked for now; they are stored with the reply."""
        line = self._run.embedding
        if line is None:
            raise metric_request.no_model()
        if not all(text.strip() for text in texts):
            raise Undefined("not_applicable", "An empty text has no embedding.")

        async def send(keys: list[Key]) -> str:
            sent = metric_request.embedding_body(line.judge, [missing[key] for key in keys])
            part = digest([self.embedding, sent])
            length = vectors.length(self.store, self.embedding)
            read = partial(metric_request.vectors_of, count=len(keys), length=length)
            return await self._run.until_good(line, self, part, sent, read)

        known = self.vectors(texts)
        missing = {(vectors.key(text), 0): text for text in texts if text not in known}
        if missing:
            await self._run.shared(missing, send)
        return await super().embed(texts)

    async def keep_units(self, kind: str, cells: Sequence[Cell], by_rule: bool) -> Sequence[Unit]:
        """Store a decomposition; if another session was faster, return and use its units."""
        maker, session = None if by_rule else self.grader_id, self._run.session
        kept = await session.disk.do(
            commit, session.id, (), units.keep, self.item_id, kind, cells, maker
        )
        self.lists[kind] = kept.id
        return kept.units

    async def keep_verdicts(self, rubric: Rubric, verdicts: Mapping[int, Any]) -> None:
        """Store verdicts on units as grades, and the unit rubric where it is new."""
        run = self._run
        if rubric.name not in run.rubrics:
            await run.session.disk.do(rubric_versions.register, rubric, "preset")
            run.rubrics.add(rubric.name)
        await run.session.land((), self.grades(rubric, verdicts, run.session.id))
