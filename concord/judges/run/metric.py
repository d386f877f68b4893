"""The job of a metric run: the metric values that a judge has still to compute on a sheet.

Metric runs: computes what metrics a job has left, item by item, and keeps every reply.

It can be killed at any moment: replies, units and verdicts that were on disk stay, and the next run
asks only what is missing.


Sessions of metrics with a model: one item each, every reply kept.

What is on disk is never asked again, and what is being asked already (by another metric, item or
repeat) is awaited. A reply is on disk before the next request is sent.


State shared by the sessions of a metric run: connections, writer, requests in flight.
"""

import asyncio
import json
import math
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Self

from concord.definitions import canonical_json, digest
from concord.judges.definition import endpoint
from concord.judges.definition.model import Judge
from concord.judges.definition.prices import PricedRequest
from concord.judges.prompting import metric_request
from concord.judges.prompting.metric_request import Undefined, chat_estimate, embedding_estimate
from concord.judges.prompting.reply import Verdict
from concord.judges.prompting.request import body, route, to_larger
from concord.judges.run.chosen_metrics import Choice, ChosenMetric, Criterion
from concord.judges.run.estimate import Estimate, evenly
from concord.judges.run.job import Connect, JudgeJob, Options, Run
from concord.judges.run.rehearsal import ExpectedRequests, Rehearsal, criteria, rehearsed
from concord.judges.run.stored_session import StoredResults
from concord.judges.run.writer import Landed, commit
from concord.judges.transport.response import Answer
from concord.messages import Problem, counted, joined, said
from concord.model import Cell, Item, Sheet, Unit
from concord.model import Verdict as model_Verdict
from concord.rubrics.model import Rubric
from concord.sampling import splits
from concord.store import graders, items, metric_values, sheets, vectors
from concord.store import items as store_items
from concord.store.database import Store
from concord.store.grades import Press
from concord.store.items import Stored
from concord.store.metric_values import MetricValueState, NewMetricValue
from concord.store.rubrics import rubric_versions
from concord.store.runs import Reply
from concord.store.units import units

AT_ONCE = 500  # items are read so many at a time
NAMED = 5  # items that lack something are named, so many of them


class Task(NamedTuple):
    """One content and repeat: the metrics to be found of each item that holds it."""

    content_hash: str
    repeat: int
    todo: tuple[tuple[int, tuple[str, ...]], ...]


class Lack(NamedTuple):
    """An input some items lack, in words, and the metrics that need it."""

    what: str
    metrics: tuple[str, ...]
    item_ids: tuple[int, ...]

    def sentence(self, names: Mapping[int, str], called: Callable[[str], str]) -> str:
        """The lack in words; `names` are those of the items, `called` that of a metric."""
        every = [names[id_] for id_ in self.item_ids]
        rest = len(every) - NAMED
        listed = joined(", ", every[:NAMED])
        if rest > 0:
            listed = f"{listed}, and {rest:,} more"
        return said(
            "{answers} has {what} (for {metrics}): {names}."
            if len(every) == 1
            else "{answers} have {what} (for {metrics}): {names}.",
            answers=counted(len(every), "answer"),
            what=self.what,
            metrics=joined(", ", map(called, self.metrics)),
            names=listed,
        )


def left(
    store: Store, job: JudgeJob, metrics: Sequence[ChosenMetric], versions: Mapping[str, str]
) -> dict[str, Any]:
    """Return the fields of a job of the judge that depend on what is stored.

    `versions` are those of the metrics as criteria, by name.
    """
    known = job.grader(store)
    rows = store_items.item_index(store, job.sheet.id)
    shut = splits.leaked(store, job.sheet.id)
    open_ids = [row["id"] for row in rows if row["question_id"] not in shut]
    standing = metric_values.states(store, job.sheet.id, known.id) if known else {}
    found = _Left(metrics, versions, standing, job.retry_unscored)
    found.sort(_stored(store, open_ids[: job.limit]), range(1, job.repeats + 1))
    return {
        "pending": found.pending,
        "settled": found.settled,
        "failed": found.failed,
        "retried": found.retried,
        "closed": len(rows) - len(open_ids),
        "lacks": found.lacks(),
    }


def left_out(judge: Judge, choice: Choice) -> dict[str, str]:
    """Return why metrics cannot be computed by this judge, by name."""
    reasons = {}
    for metric in choice.metrics:
        if metric.asks and judge.model is None:
            reasons[metric.name] = "it requires a model, but the judge names none"
        elif metric.embeds and judge.embedding is None:
            reasons[metric.name] = endpoint.NO_EMBEDDING
    return reasons


def missing_inputs(
    store: Store,
    sheet: Sheet,
    lacks: Sequence[Lack],
    out: Mapping[str, str],
    called: Callable[[str], str],
) -> list[str]:
    """Return sentences on missing inputs of items and the metrics left `out`.

    `called` maps the name of a metric to its displayed name.
    """
    names = store_items.answer_names(store, sheet.id) if lacks else {}
    reasons: dict[str, list[str]] = {}
    for name, why in out.items():
        reasons.setdefault(why, []).append(called(name))
    return [lack.sentence(names, called) for lack in lacks] + [
        said("Skipped: {metrics}; {why}.", metrics=joined(", ", names), why=why)
        for why, names in reasons.items()
    ]


class _Left:
    """Sorts every metric of every item and repeat by what it needs."""

    def __init__(
        self,
        metrics: Sequence[ChosenMetric],
        versions: Mapping[str, str],
        standing: Mapping[tuple[int, str, int], MetricValueState],
        retry_unscored: bool,
    ):
        self._metrics, self._versions = metrics, versions
        self._standing, self._retry = standing, retry_unscored
        self._lacking: dict[str, tuple[list[str], dict[int, None]]] = {}
        self.pending: list[Task] = []
        self.settled = self.failed = self.retried = 0

    def sort(self, items: Iterable[Stored], repeats: Iterable[int]) -> None:
        """Fill `pending`, the first repeat of all contents first and what failed before last."""
        failed: list[Task] = []
        by_content: dict[str, list[tuple[int, set[str]]]] = defaultdict(list)
        for stored in items:
            by_content[stored.content_hash].append((stored.id, self._lack(stored)))
        for repeat in repeats:
            for content_hash, held in by_content.items():
                todo = [(id_, self._todo(id_, lacking, repeat)) for id_, lacking in held]
                task = Task(content_hash, repeat, tuple((i, names) for i, names in todo if names))
                if task.todo:
                    (failed if self._failed_before(task) else self.pending).append(task)
                else:
                    self.settled += 1
        self.pending += failed

    def lacks(self) -> tuple[Lack, ...]:
        """Return missing inputs of items, in order of occurrence."""
        return tuple(
            Lack(what, tuple(names), tuple(ids)) for what, (names, ids) in self._lacking.items()
        )

    def _lack(self, stored: Stored) -> set[str]:
        """The metrics for which an item lacks something; that is noted."""
        lacking = set()
        for metric in self._metrics:
            for what in metric.lacks(stored.item):
                lacking.add(metric.name)
                names, ids = self._lacking.setdefault(what, ([], {}))
                ids[stored.id] = None
                if metric.name not in names:
                    names.append(metric.name)
        return lacking

    def _todo(self, item_id: int, lacking: set[str], repeat: int) -> tuple[str, ...]:
        return tuple(
            name
            for name, version in self._versions.items()
            if not self._is_settled(self._standing.get((item_id, version, repeat)), name in lacking)
        )

    def _is_settled(self, found: MetricValueState | None, lacks: bool) -> bool:
        if found is None or found.status == "failed" or found.is_stale:
            return False
        if found.status == "missing_input" and lacks:
            return True
        return found.status == "scored" or not self._retry

    def _failed_before(self, task: Task) -> bool:
        """Count and return if a task was tried before; an edited list reopens one with a value."""
        places = [
            (i, self._versions[name], task.repeat) for i, names in task.todo for name in names
        ]
        met = {self._standing[place].status for place in places if place in self._standing}
        self.failed += "failed" in met
        self.retried += "failed" not in met and bool(met - {"scored"})
        return "failed" in met


def _stored(store: Store, item_ids: Sequence[int]) -> Iterable[Stored]:
    for start in range(0, len(item_ids), AT_ONCE):
        yield from store_items.items(store, list(item_ids[start : start + AT_ONCE]))


class Halted(Exception):
    """The run ends before the metric is computed; what is open stays open."""


class JudgeConnection(NamedTuple):
    """One connection: the judge it asks, and how a request is sent."""

    judge: Judge
    send: Callable[[dict[str, Any]], Awaitable[Answer]]


@dataclass(kw_only=True)
class SharedRun(Run):
    """State shared by all sessions of one run.

    `chat` and `embedding` are None where not needed. `waiting` holds the requests in flight, by
    part and repeat, or by text and 0; `rubrics` the names of the unit rubrics in the store.
    """

    grader_id: int
    chat: JudgeConnection | None = None
    embedding: JudgeConnection | None = None
    identity: str = ""
    waiting: dict[tuple[str, int], asyncio.Future] = field(default_factory=dict)
    rubrics: set[str] = field(default_factory=set)

    async def land(self, replies: list, presses: list, **more: Any) -> None:
        """Put something on disk; there when this returns."""
        await self.disk.land(self.id, Landed(replies, presses, **more))

    async def once(self, part: str, repeat: int, ask: Callable[[], Awaitable[Any]]) -> Any:
        """Return the result of `ask`, or of the same request already in flight."""
        key = part, repeat
        if key in self.waiting:
            # Shielded: cancelling one waiter must not cancel the request that others wait for.
            return await asyncio.shield(self.waiting[key])
        return await self.promised([key], ask)

    async def promised(
        self, keys: Sequence[tuple[str, int]], ask: Callable[[], Awaitable[Any]]
    ) -> Any:
        """Return the result of `ask`, and let others await it under these keys."""
        future = asyncio.get_running_loop().create_future()
        self.waiting.update(dict.fromkeys(keys, future))
        try:
            future.set_result(await ask())
        except BaseException as error:
            if isinstance(error, Exception):
                future.set_exception(error)
                future.exception()  # whether or not anybody waits for it
            else:
                future.cancel()
            raise
        finally:
            for key in keys:
                del self.waiting[key]
        return future.result()

    async def keep_units(self, *of: Any) -> units.Decomposition:
        """Store a decomposition, by the arguments of `units.keep`; returns the one that counts."""
        return await self.disk.do(_units_kept, self.id, *of)

    async def keep_verdicts(self, rubric: Rubric, presses: list[Press]) -> None:
        """Store verdicts on units as grades, and the unit rubric where it is new."""
        if rubric.name not in self.rubrics:
            await self.disk.do(rubric_versions.register, rubric, "preset")
            self.rubrics.add(rubric.name)
        await self.land([], presses)


def _units_kept(store: Store, run_id: int, *of: Any) -> units.Decomposition:
    """Store a decomposition; a Problem where the run is gone with its sheet."""
    with store.write():
        commit(store, run_id, [Landed([], [])])
        return units.keep(store, *of)


TOO_LONG = Undefined("too_long", "The request does not fit the model's context.")


class RequestingSession(StoredResults):
    """A session for one item and one repeat that requests what is not stored."""

    def __init__(self, run: SharedRun, stored: Stored, repeat: int):
        super().__init__(run.reader, stored.id, run.grader_id, repeat, run.identity)
        self._run, self._content_hash = run, stored.content_hash
        self._gave_up: dict[str, Undefined] = {}

    async def ask(self, ask: Any) -> Any:
        """Return the parsed reply, stored or requested now; Undefined without a good one."""
        part = metric_request.part(ask)
        raw = self.reply(part)
        if raw is None:
            raw = await self._once(part, lambda: self._chat(part, ask))
        return metric_request.read(json.loads(raw), ask)

    async def embed(self, texts: Sequence[str]) -> list[Sequence[float]]:
        """One vector per text, stored or asked for now."""
        if self._run.embedding is None:
            raise metric_request.no_model()
        if not all(text.strip() for text in texts):
            raise Undefined("not_applicable", "An empty text has no embedding.")
        known = self.vectors(texts)
        missing = {text: (vectors.key(text), 0) for text in texts if text not in known}
        others = [self._run.waiting[k] for k in missing.values() if k in self._run.waiting]
        mine = {text: k for text, k in missing.items() if k not in self._run.waiting}
        if mine:
            await self._run.promised([*mine.values()], lambda: self._embed([*mine]))
        for other in others:
            # Shielded: cancelling this session must not cancel another's request.
            await asyncio.shield(other)
        return await super().embed(texts)

    async def keep_units(self, kind: str, cells: Sequence[Cell], by_rule: bool) -> Sequence[Unit]:
        """Store a decomposition; if another session was faster, return and use its units."""
        maker = None if by_rule else self.grader_id
        kept = await self._run.keep_units(self.item_id, kind, cells, maker)
        self.lists[kind] = kept.id
        return kept.units

    async def keep_verdicts(self, rubric: Rubric, verdicts: Mapping[int, model_Verdict]) -> None:
        """Store verdicts on units as grades under the unit rubric."""
        await self._run.keep_verdicts(rubric, self.grades(rubric, verdicts, self._run.id))

    async def _once(self, part: str, ask: Callable[[], Awaitable[str]]) -> str:
        """Ask, but not again where this item's metrics have had no luck with the same."""
        if part in self._gave_up:
            raise self._gave_up[part]
        try:
            return await self._run.once(part, self.repeat, ask)
        except Undefined as error:
            self._gave_up[part] = error
            raise

    async def _chat(self, part: str, ask: Any) -> str:
        """The raw reply to an ask, from the model that it fits."""
        line = self._run.chat
        body = metric_request.body(line.judge, ask)
        model = route(line.judge, body)
        if model is None:
            raise TOO_LONG

        def read(completion: Any) -> Any:
            return metric_request.read(completion, ask)

        return await self._until_good(line, part, body | {"model": model}, read)

    async def _embed(self, texts: Sequence[str]) -> None:
        """Ask for the vectors of some texts; they are stored with the reply."""
        line = self._run.embedding
        body = metric_request.embedding_body(line.judge, texts)
        length = vectors.length(self.store, self.embedding)

        def read(reply: Any) -> Any:
            return metric_request.vectors_of(reply, len(texts), length)

        await self._until_good(line, digest([self.embedding, body]), body, read)

    async def _until_good(
        self, line: JudgeConnection, part: str, body: dict[str, Any], read: Callable[[Any], Any]
    ) -> str:
        """Ask until the reply is usable, at most ATTEMPTS times; every reply goes to the disk.

        A metric holds its worker while it sends several requests, so it cannot wait for room in
        the budget: without room it ends the run.
        """
        run, result, raw = self._run, None, ""

        async def take(attempt: int, body: dict[str, Any], answer: Answer) -> dict | None:
            nonlocal result, raw
            result, raw = _read(answer, read), answer.raw
            await self._land(line, part, attempt, body, answer, result)
            rejected = answer.is_turned_away
            run.note_status(result.status, result.why, rejected, self._content_hash)
            done = result.status == "scored"
            return None if done else _next_body(line.judge, body, result.status)

        if not (run.may_retry() and await run.ask(line.send, body, take)):
            if run.is_open():
                run.stop_over_budget()
            raise Halted
        if result.status != "scored":
            raise Undefined(result.status, result.why)
        return raw

    async def _land(
        self,
        line: JudgeConnection,
        part: str,
        attempt: int,
        body: dict,
        answer: Answer,
        result: "_Result",
    ) -> None:
        """Put a reply on disk; vectors have a table of their own, and come together with it."""
        run, is_chat = self._run, line is self._run.chat
        reply = Reply(
            self.grader_id,
            self.item_id,
            self._content_hash,
            part,
            self.repeat,
            attempt,
            canonical_json(body),
            answer.raw if is_chat else _without_vectors(answer),
            result.status,
            run.receipt(line.judge, answer, body["model"]),
        )
        embedded = {} if is_chat else dict(zip(body["input"], result.value or (), strict=False))
        run.counts.note_reply(reply.status, reply.receipt)
        await run.land([reply], [], vectors={(self.embedding, k): v for k, v in embedded.items()})


def _without_vectors(answer: Answer) -> str:
    """The raw reply as it is stored: the vectors have a table of their own."""
    if answer.completion is None:
        return answer.raw
    return json.dumps({k: v for k, v in answer.completion.items() if k != "data"})


class _Result(NamedTuple):
    """Result of a request; `scored` for a usable reply, with its contents."""

    status: str
    why: str = ""
    value: Any = None


def _read(answer: Answer, read: Callable[[Any], Any]) -> _Result:
    if answer.status:
        return _Result(answer.status, answer.why)
    try:
        return _Result("scored", value=read(answer.completion))
    except Undefined as error:
        return _Result(error.status, error.reason)


def _next_body(judge: Judge, body: dict[str, Any], status: str) -> dict[str, Any] | None:
    """The request as it is asked again, to a larger model or with twice the room; None for not."""
    if status in ("failed", "refused"):
        return None
    if status == "too_long":
        return to_larger(judge, body)
    room = judge.endpoint.max_tokens_field
    return body | {room: 2 * body[room]} if status == "truncated" and room in body else body


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
        embedder = metric_request.embedder(judge)
        if embedder is not None:
            self.embedding = JudgeConnection(
                embedder, _Lazy(stack, connect, embedder, metric_request.EMBEDDINGS_PATH)
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


# At least so many tasks are rehearsed, evenly spaced; on a longer sheet they represent all.
REHEARSED = 100
NOBODY = -1  # a grader that has said nothing


class MetricEstimate(Estimate):
    """Estimate for computing metrics: `calls` are requests, `new` the answers they are about.

    The other counts are of answers, each counted once per repeat.
    """

    heads = ("answers", "answers done", "answers without a request")


def estimate(store: Store, job: JudgeJob, metrics: Sequence[ChosenMetric]) -> MetricEstimate:
    """Return the estimate for a job.

    The number of requests is exact on fewer than twice REHEARSED tasks, apart from what depends on
    replies: the number of claims in a text, and requests that follow certain verdicts.
    """
    part, whole = evenly(job.pending, REHEARSED), len(job.pending)
    by_task = asyncio.run(_requests(store, job, metrics, part))
    scale = whole / max(1, len(part))
    asking = round(scale * sum(bool(found) for found in by_task))
    basis = []
    if asking:
        basis += ["A text without claims takes fewer requests, a repeated request more."]
    if job.repeats > 1:
        basis += [said("An answer counts {n} times: once for each repeat.", n=job.repeats)]
    if len(part) < whole:
        text = f"Estimated from {len(part):,} of {whole:,} answers."
        basis.append(text)
    return MetricEstimate.of(
        job.judge,
        [one for requests in by_task for one in requests],
        scale,
        cached=whole - asking,
        failed=job.failed,
        settled=job.settled,
        new=asking,
        retried=job.retried,
        basis=joined(" ", basis),
    )


async def _requests(
    store: Store, job: JudgeJob, metrics: Iterable[ChosenMetric], tasks: Iterable[Task]
) -> list[list[PricedRequest]]:
    """Return the requests of each task, without those of earlier tasks."""
    grader = job.grader(store)
    judge, embedder = job.judge, metric_request.embedder(job.judge)
    identity = judge.embedding.identity() if judge.embedding else ""
    by_name = {metric.name: metric for metric in metrics}
    noted: dict[int, set[tuple[str, str]]] = defaultdict(set)
    made: dict[int, dict] = defaultdict(dict)
    origins: dict[int, dict[str, str]] = defaultdict(dict)
    embedded: set[tuple] = set()
    found = []
    for task in tasks:
        sent = ExpectedRequests([], [])
        for item_id, names in task.todo:
            item = items.item(store, item_id).item
            known = StoredResults(
                store, item_id, grader.id if grader else NOBODY, task.repeat, identity
            )
            shared = noted[task.repeat], made[item_id], sent, embedded
            session = Rehearsal(known, *shared, task.repeat, origins[item_id])
            able = [by_name[name] for name in names if not by_name[name].lacks(item)]
            await rehearsed(able, item, session)
        chats = [chat_estimate(judge, ask) for ask in sent.asks]
        lists = sent.texts if embedder else []  # without a model, the metric is undefined
        found.append(chats + [embedding_estimate(embedder, texts) for texts in lists])
    return found


@dataclass(frozen=True, kw_only=True)
class MetricJob(JudgeJob):
    """Metric values that a judge has left to find; a task is a content and repeat.

    `criteria` is the criterion of each metric by its name. `left_out` says by metric why it is not
    found for any item. Which metrics the judge's file names, and which readings, makes no other
    judge of it: its file is stored as it is now.
    """

    kind = "metric"

    choice: Choice
    metrics: tuple[ChosenMetric, ...]
    criteria: Mapping[str, Criterion]
    lacks: tuple[Lack, ...] = ()
    left_out: Mapping[str, str]

    def renewed(self, store: Store) -> Self:
        """Return the same job, read from the store again."""
        of = self.judge, self.choice, self.sheet, self.repeats, self.limit, self.retry_unscored
        return prepare(store, *of)

    def register(self, store: Store) -> int:
        """Return the judge's id as a grader, made now where it is new."""
        made = super().register(store)
        graders.define(store, made, self.definition())
        return made

    def scope(self) -> dict[str, Any]:
        """Return the scope of a run, as stored with it."""
        return super().scope() | {"metrics": [metric.name for metric in self.metrics]}

    def estimate(self, store: Store) -> MetricEstimate:
        """Return the estimated requests, tokens and USD."""
        return estimate(store, self, self.metrics)

    def begin(
        self, store: Store, expected: Mapping[str, Any], budget: float | None, **more: Any
    ) -> int:
        """Record the start of a run and the criteria of its metrics; returns its id."""
        for name, criterion in self.criteria.items():
            metric_values.register(store, name, *criterion)
        return super().begin(store, expected, budget, **more)

    def run(self, store: Store, **state: Any) -> MetricRun:
        """Return the run that does it."""
        of = {"metrics": self.metrics, "criteria": self.criteria}
        return MetricRun(**state, **of, grader_id=self.register(store))

    def remarks(self, store: Store, called: Callable[[str], str] = str) -> list[str]:
        """Return sentences on missing inputs of items and the metrics left out.

        `called` maps the name of a metric to its displayed name.
        """
        return missing_inputs(store, self.sheet, self.lacks, self.left_out, called)


def prepared(store: Store, judge: Judge, choice: Choice, options: Options) -> MetricJob:
    """The job of a judge for metrics; `judge` has the overrides applied."""
    sheet = sheets.chosen(store, options.sheet_name)
    more = options.repeats, options.limit, options.retry_unscored
    return prepare(store, judge, choice, sheet, *more)


def prepare(
    store: Store,
    judge: Judge,
    choice: Choice,
    sheet: Sheet,
    repeats: int = 1,
    limit: int | None = None,
    retry_unscored: bool = False,
) -> MetricJob:
    """Find out what a judge of kind `metric`, overrides applied, has still to find on a sheet.

    Each number is found `repeats` times in all, from separate verdicts. `limit` takes only the
    first so many items; `retry_unscored` asks again where an earlier reply gave no number.
    """
    as_of, out = store.changes(), left_out(judge, choice)
    metrics = tuple(one for one in choice.metrics if one.name not in out)
    if not metrics:
        titles = {one.name: one.title for one in choice.metrics}
        why = joined(" ", missing_inputs(store, sheet, (), out, titles.__getitem__))
        raise Problem("{judge} has no metric to compute. {why}", judge=judge.name, why=why)
    found = asyncio.run(criteria(metrics))
    job = MetricJob(
        judge=judge,
        choice=choice,
        metrics=metrics,
        criteria=found,
        sheet=sheet,
        fingerprint=fingerprint(judge, choice),
        repeats=repeats,
        limit=limit,
        retry_unscored=retry_unscored,
        left_out=out,
        as_of=as_of,
    )
    versions = {name: one.version for name, one in found.items()}
    return replace(job, **left(store, job, metrics, versions))


def fingerprint(judge: Judge, choice: Choice) -> str:
    """Return the identity of a judge for metrics: 16 hex digits, '' where it makes no API calls.

    The hash of its settings, endpoints and the prompts common to all metrics. Its metrics and their
    switches are not included: those are criteria of their own.
    """
    if judge.model is None and judge.embedding is None:
        return ""
    messages = [{"role": judge.endpoint.system_role, "content": "(instructions)"}]
    return digest(
        {
            "request": body(judge, messages, {}),
            "prompts": choice.prompts,
            "larger": judge.larger and judge.larger.model,
            "context_tokens": judge.context_tokens if judge.larger else None,
            "headers": judge.extra_headers,
            "endpoint": judge.url() if judge.model else "",
            "embedding": judge.embedding.identity() if judge.embedding else "",
        }
    )
