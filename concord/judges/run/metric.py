"""Metric runs: the metric values that a judge has still to find on a sheet.

A task is a content and repeat, with several requests for each metric. What is on disk is never
asked again, and what is being asked already (by another metric, item or repeat) is awaited; every
reply is on disk before the next request is sent.
"""

import asyncio
import json
import math
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from concord.definitions import canonical_json, digest
from concord.judges.definition import endpoint
from concord.judges.definition.model import Judge
from concord.judges.definition.prices import PricedRequest
from concord.judges.metric_results import (
    Choice,
    ChosenMetric,
    Criterion,
    ExpectedRequests,
    Rehearsal,
    StoredResults,
    criteria,
    rehearsed,
)
from concord.judges.prompting import metric_request
from concord.judges.prompting.metric_request import Undefined, chat_estimate, embedding_estimate
from concord.judges.prompting.reply import Verdict
from concord.judges.prompting.request import route
from concord.judges.run.job import ATTEMPTS, JudgeJob, Work, blocks
from concord.judges.run.session import Line, Session
from concord.judges.run.writer import Landed, commit
from concord.messages import Problem, counted, joined
from concord.model import Cell, Item, Sheet, Unit
from concord.rubrics.model import Rubric
from concord.sampling import splits
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


class Task(NamedTuple):
    """One content and repeat: the metrics to be found of each item that holds it."""

    content_hash: str
    repeat: int
    todo: tuple[tuple[int, tuple[str, ...]], ...]


@dataclass(frozen=True, kw_only=True)
class MetricJob(JudgeJob):
    """Metric values that a judge has left to find.

    `criteria` is the criterion of each metric by its name. `lacks` has the items that lack an input
    and the metrics that need it, by what it is in words; `left_out` says by metric why it is not
    found for any item. Which metrics the judge's file names, and which readings, makes no other
    judge of it: its file is stored as it is now.
    """

    kind = "metric"
    sampled = 100

    choice: Choice
    metrics: tuple[ChosenMetric, ...]
    criteria: Mapping[str, Criterion]
    left_out: Mapping[str, str]
    lacks: Mapping[str, tuple[set[int], list[str]]] = field(default_factory=dict)

    def register(self, store: Store) -> int:
        """Return the judge's id as a grader, made now where it is new."""
        made = super().register(store)
        graders.define(store, made, self.definition())
        return made

    def scope(self) -> dict[str, Any]:
        """Return the scope of a run, as stored with it."""
        return super().scope() | {"metrics": [metric.name for metric in self.metrics]}

    def begin(
        self, store: Store, expected: Mapping[str, Any], budget: float | None, **more: Any
    ) -> int:
        """Record the start of a run and the criteria of its metrics; returns its id."""
        for name, criterion in self.criteria.items():
            metric_values.register(store, name, *criterion)
        return super().begin(store, expected, budget, **more)

    def left(self, store: Store) -> dict[str, Any]:
        """Sort every metric of every item and repeat by what it needs.

        The first repeat of all contents comes first, and what failed before last.
        """
        known, rows = self.grader(store), items.item_index(store, self.sheet.id)
        shut = splits.leaked(store, self.sheet.id)
        ids = [row["id"] for row in rows if row["question_id"] not in shut]
        standing = metric_values.states(store, self.sheet.id, known.id) if known else {}
        lacks: dict[str, tuple[set[int], list[str]]] = {}
        by_content: dict[str, list[tuple[int, set[str]]]] = defaultdict(list)
        for block in blocks(ids[: self.limit], AT_ONCE):
            for stored in items.items(store, block):
                lacking = set()
                for metric in self.metrics:
                    for what in metric.lacks(stored.item):
                        lacking.add(metric.name)
                        item_ids, names = lacks.setdefault(what, (set(), []))
                        item_ids.add(stored.id)
                        names += [] if metric.name in names else [metric.name]
                by_content[stored.content_hash].append((stored.id, lacking))
        pending, failed, settled, retried = [], [], 0, 0
        for repeat in range(1, self.repeats + 1):
            for content_hash, held in by_content.items():
                todo, met = [], set()
                for item_id, lacking in held:
                    names = []
                    for name, criterion in self.criteria.items():
                        found = standing.get((item_id, criterion.version, repeat))
                        if found is not None:
                            is_open = found.status == "failed" or found.is_stale
                            kept = found.status == "scored" or not self.retry_unscored
                            kept |= found.status == "missing_input" and name in lacking
                            if kept and not is_open:
                                continue
                            met.add(found.status)
                        names.append(name)
                    todo += [(item_id, tuple(names))] if names else []
                if not todo:
                    settled += 1
                    continue
                before = "failed" in met
                (failed if before else pending).append(Task(content_hash, repeat, tuple(todo)))
                # An edited list reopens one with a value.
                retried += not before and bool(met - {"scored"})
        return {
            "pending": pending + failed,
            "settled": settled,
            "failed": len(failed),
            "retried": retried,
            "closed": len(rows) - len(ids),
            "lacks": lacks,
        }

    def priced(self, store: Store, tasks: Sequence[Task]) -> list[list[PricedRequest]]:
        """Return the requests of each task, without those of earlier tasks.

        They are exact apart from what depends on replies: the number of claims in a text, and
        requests that follow certain verdicts.
        """
        return asyncio.run(self._priced(store, tasks))

    async def _priced(self, store: Store, tasks: Sequence[Task]) -> list[list[PricedRequest]]:
        known, embedder = self.grader(store), metric_request.embedder(self.judge)
        identity = self.judge.embedding.identity() if embedder else ""
        by_name = {metric.name: metric for metric in self.metrics}
        session, found = Rehearsal(), []
        for task in tasks:
            session.found = sent = ExpectedRequests([], [])
            for id_, names in task.todo:
                item = items.item(store, id_).item
                of = id_, known.id if known else NOBODY, task.repeat, identity
                session.turn(StoredResults(store, *of), id_, task.repeat)
                able = [by_name[name] for name in names if not by_name[name].lacks(item)]
                await rehearsed(able, item, session)
            chats = [chat_estimate(self.judge, ask) for ask in sent.asks]
            lists = sent.texts if embedder else []  # without a model, the metric is undefined
            found.append(chats + [embedding_estimate(embedder, texts) for texts in lists])
        return found

    def counted(self, requests: Sequence[list[PricedRequest]], scale: float) -> dict[str, Any]:
        """Count answers, each once per repeat: `new` are those with requests, `cached` without."""
        asking = round(scale * sum(map(bool, requests)))
        basis = [
            asking and "A text without claims takes fewer requests, a repeated request more.",
            self.repeats > 1 and f"An answer counts {self.repeats} times: once for each repeat.",
            scale > 1 and f"Estimated from {len(requests):,} of {len(self.pending):,} answers.",
        ]
        return {
            "new": asking,
            "cached": len(self.pending) - asking,
            "basis": joined(" ", basis),
            "heads": ("answers", "answers done", "answers without a request"),
        }

    def remarks(self, called: Callable[[str], str] = str) -> list[str]:
        """Return sentences on missing inputs of items and the metrics left out.

        `called` maps the name of a metric to its displayed name.
        """
        reasons = defaultdict(list)
        for name, why in self.left_out.items():
            reasons[why].append(called(name))
        return [
            f"{counted(len(ids), 'answer has', 'answers have')} {what}"
            f" (for {', '.join(map(called, names))})."
            for what, (ids, names) in self.lacks.items()
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
        raise Problem(f"{judge.name} has no metric to compute: {why}.")
    job = MetricJob(
        judge=judge,
        choice=choice,
        metrics=metrics,
        criteria=asyncio.run(criteria(metrics)),
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
        self.identity = judge.embedding.identity() if embedder else ""
        self.waiting: dict[tuple[str, int], asyncio.Future] = {}
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
        version, of = self.job.criteria[metric.name].version, {"run_id": self.session.id}
        press = Press(live.item_id, version, self.grader_id, repeat=live.repeat, **of)
        if lacking := metric.lacks(item):
            reason = f"It has {' and '.join(lacking)}."
            return NewMetricValue(press._replace(status="missing_input", reason=reason))
        live.lists.clear()
        try:
            found = await metric.find(item, live)
        except Undefined as error:
            press = press._replace(status=error.status, reason=error.reason)
            return NewMetricValue(press, lists=tuple(live.lists.values()))
        numbers = [one for one in (found.value, *found.parts.values()) if one is not None]
        is_scored = found.status == "scored"
        if not all(map(math.isfinite, numbers)) or is_scored == (found.value is None):
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

    async def shared(self, keys: Sequence[tuple[str, int]], ask: Awaitable[Any]) -> Any:
        """Return what `ask` gives, and let others await it under these keys meanwhile."""
        future = asyncio.get_running_loop().create_future()
        self.waiting.update(dict.fromkeys(keys, future))
        try:
            future.set_result(await ask)
        except Exception as error:
            future.set_exception(error)
            future.exception()  # whether or not anybody waits for it
            raise
        finally:
            future.cancel()  # nothing where it is done
            for key in keys:
                del self.waiting[key]
        return future.result()

    async def until_good(
        self,
        line: Line,
        stored: Stored,
        part: str,
        repeat: int,
        body: dict[str, Any],
        read: Callable[[Any], Any],
    ) -> str:
        """Ask until the reply is usable, at most ATTEMPTS times; every reply goes to the disk.

        Vectors come together with their reply. A metric holds its worker while it sends several
        requests, so it cannot wait for room in the budget: without room it ends the run.
        """
        session, attempt = self.session, 0
        while body is not None and attempt < ATTEMPTS:
            if not session.may_retry():
                if session.is_open():
                    session.stop_over_budget()
                raise Halted
            answer, attempt = await line.send(body), attempt + 1
            status, why, value, raw = answer.status, answer.why, None, answer.raw
            if not status:
                try:
                    status, value = "scored", read(answer.completion)
                except Undefined as error:
                    status, why = error.status, error.reason
            embedded = {}
            if line is self.embedding:
                pairs = zip(body["input"], value or (), strict=False)
                embedded = {(self.identity, text): vector for text, vector in pairs}
                if answer.completion is not None:  # the vectors have a table of their own
                    raw = json.dumps({k: v for k, v in answer.completion.items() if k != "data"})
            took = line.receipt(answer, body["model"])
            of = self.grader_id, stored.id, stored.content_hash, part, repeat, attempt
            reply = Reply(*of, answer.sent or canonical_json(body), raw, status, took)
            session.counts.note_reply(status, took)
            await session.land([reply], vectors=embedded)
            session.note_status(status, why, answer.is_turned_away, stored.content_hash)
            if status == "scored":
                return raw
            body = metric_request.next_body(line.judge, body, status, why)
        raise Undefined(status, why)


class LiveResults(StoredResults):
    """The results of one item and one repeat, which asks for what is not stored."""

    def __init__(self, run: Measuring, stored: Stored, repeat: int):
        super().__init__(run.session.reader, stored.id, run.grader_id, repeat, run.identity)
        self._run, self._stored = run, stored
        self._gave_up: dict[str, Undefined] = {}

    async def ask(self, ask: Any) -> Any:
        """Return the parsed reply, stored or requested now; Undefined without a good one.

        Not asked again where this item's metrics have had no luck with the same.
        """
        part, run = metric_request.part(ask), self._run
        raw, key = self.reply(part), (part, self.repeat)
        if raw is None and part in self._gave_up:
            raise self._gave_up[part]
        try:
            if raw is None and key in run.waiting:
                # Shielded: cancelling one waiter must not cancel the request that others wait for.
                raw = await asyncio.shield(run.waiting[key])
            elif raw is None:
                raw = await run.shared([key], self._chat(part, ask))
        except Undefined as error:
            self._gave_up[part] = error
            raise
        return metric_request.read(json.loads(raw), ask)

    async def _chat(self, part: str, ask: Any) -> str:
        """The raw reply to an ask, from the model that it fits."""
        line = self._run.chat
        sent = metric_request.body(line.judge, ask)
        if (model := route(line.judge, sent)) is None:
            raise TOO_LONG
        of = self._stored, part, self.repeat, sent | {"model": model}
        return await self._run.until_good(line, *of, lambda reply: metric_request.read(reply, ask))

    async def embed(self, texts: Sequence[str]) -> list[Sequence[float]]:
        """One vector per text, stored or asked for now."""
        run = self._run
        if run.embedding is None:
            raise metric_request.no_model()
        if not all(text.strip() for text in texts):
            raise Undefined("not_applicable", "An empty text has no embedding.")
        known = self.vectors(texts)
        missing = {text: (vectors.key(text), 0) for text in texts if text not in known}
        others = [run.waiting[key] for key in missing.values() if key in run.waiting]
        mine = {text: key for text, key in missing.items() if key not in run.waiting}
        if mine:
            await run.shared([*mine.values()], self._embed([*mine]))
        for other in others:
            await asyncio.shield(other)
        return await super().embed(texts)

    async def _embed(self, texts: Sequence[str]) -> str:
        """Ask for the vectors of some texts; they are stored with the reply."""
        line, length = self._run.embedding, vectors.length(self.store, self.embedding)
        sent = metric_request.embedding_body(line.judge, texts)
        of = self._stored, digest([self.embedding, sent]), self.repeat, sent
        read = metric_request.vectors_of
        return await self._run.until_good(line, *of, lambda it: read(it, len(texts), length))

    async def keep_units(self, kind: str, cells: Sequence[Cell], by_rule: bool) -> Sequence[Unit]:
        """Store a decomposition; if another session was faster, return and use its units."""
        maker, session = None if by_rule else self.grader_id, self._run.session
        kept = await session.disk.do(_kept, session.id, self.item_id, kind, cells, maker)
        self.lists[kind] = kept.id
        return kept.units

    async def keep_verdicts(self, rubric: Rubric, verdicts: Mapping[int, Any]) -> None:
        """Store verdicts on units as grades, and the unit rubric where it is new."""
        run = self._run
        if rubric.name not in run.rubrics:
            await run.session.disk.do(rubric_versions.register, rubric, "preset")
            run.rubrics.add(rubric.name)
        await run.session.land((), self.grades(rubric, verdicts, run.session.id))


def _kept(store: Store, run_id: int, *of: Any) -> units.Decomposition:
    """Store a decomposition; a Problem where the run is gone with its sheet."""
    with store.write():
        commit(store, run_id, [Landed()])
        return units.keep(store, *of)
