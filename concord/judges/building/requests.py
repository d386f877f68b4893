"""Requests that grade nothing: drafts or answers from a model, with every reply kept.

The caller interprets the replies, which it reads back from the store.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import Any, Self

from concord.definitions import canonical_json, digest
from concord.judges.building.request_estimate import Left, Request, RequestEstimate, estimate
from concord.judges.definition.model import Judge
from concord.judges.definition.prices import Band, Usage
from concord.judges.prompting.reply import Verdict
from concord.judges.running.engine import (
    Connect,
    Options,
    Outcome,
    Plan,
    Run,
    command_line,
    judge_argument,
)
from concord.judges.running.estimate import Estimate
from concord.judges.running.progress import Counts
from concord.judges.running.run_lock import Place, locked, of_asker
from concord.judges.running.run_loop import ATTEMPTS, FAILED, Budget, Send
from concord.judges.transport.response import Answer
from concord.messages import said
from concord.store import request_log, runs
from concord.store.database import Store
from concord.store.request_log import AskedReply

TOO_LONG_IN_A_ROW = said(
    "{n} requests in a row do not fit the model, so the run stopped. The last: {why} Name a model "
    "with room for them and run it again; for the same model on a server with more room, add "
    "--again."
)
BREAKING = {"failed": FAILED, "too_long": TOO_LONG_IN_A_ROW}
COMMANDS = {"drafts": "build", "answers": "answer"}


@dataclass(frozen=True)
class Gap:
    """A request that got no usable reply; `key` names it for annotators."""

    key: Any
    status: str
    why: str

    def as_json(self) -> dict[str, Any]:
        """The gap for `--json`."""
        return {"key": self.key, "status": self.status, "why": self.why}


@dataclass(frozen=True)
class RequestOutcome(Outcome):
    """Outcome of one model's run; `missing` are the requests without a usable reply."""

    missing: tuple[Gap, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The outcome for `--json`."""
        return {
            "model": self.name,
            "status": self.status,
            "said": self.said,
            "estimate": self.estimate.as_json(),
            "counts": self.counts.as_dict(),
            "missing": [gap.as_json() for gap in self.missing],
        }


@dataclass(frozen=True)
class RequestPlan(Plan):
    """Requests for a model.

    Attributes:
        judge: The judge whose model, settings and endpoint are used; nothing else of it.
        purpose: `drafts` or `answers`.
        keys: One key per request; hashable.
        body: The request for a key.
        read: Returns what a completion holds; a Verdict with the reason where it is unusable.
        output: Approximate tokens per reply.
        scope: The scope stored with the run.
        sheet_name: The sheet being built; only identifies its runs.
        land: Called with the store, the key and the id of a usable reply, in the transaction that
            stores the reply.
        again: Repeat requests that had no usable reply.
        left: The remaining `keys`, where read under the lock.
    """

    judge: Judge
    purpose: str
    keys: Sequence[Any]
    body: Callable[[Any], dict[str, Any]]
    read: Callable[[Any], Any]
    output: Band
    scope: dict[str, Any]
    sheet_name: str = ""
    land: Callable[[Store, Any, int], None] = lambda store, key, asked_id: None
    again: bool = False
    left: Left | None = None

    @property
    def name(self) -> str:
        """The model."""
        return self.judge.model

    @property
    def identity(self) -> str:
        """The hash of purpose, endpoint, headers and model."""
        judge = self.judge
        return digest([self.purpose, judge.url(), judge.extra_headers, judge.model])

    def place(self, store: Store | None = None) -> Place:
        """Return the location of its runs for the sheet."""
        return of_asker(self.identity, self.sheet_name)

    @contextmanager
    def locked(self, store: Store) -> Iterator[Self]:
        """Hold the lock: a model is asked for one purpose by one process at a time."""
        busy = said(
            "{model} is being asked for {purpose} by another process. Wait for it, or stop it "
            "first.",
            model=self.judge.model,
            purpose=self.purpose,
        )
        with locked(store, self.place(), busy):
            yield replace(self, left=self.read_left(store))

    def read_left(self, store: Store) -> Left:
        """Read what is left to ask; what failed before comes last."""
        stored = request_log.standing(store, self.identity)
        pending, good, settled, failed, seen = [], {}, [], [], set()
        for key in self.keys:
            request = Request(key, digest([self.identity, self.body(key)]))
            known = stored.get(request.digest)
            if known and known.good_id is not None:
                good[key] = known.good_id
            elif known and known.is_settled(ATTEMPTS) and not self.again:
                settled.append((key, known))
            elif request.digest not in seen:
                seen.add(request.digest)
                (failed if known and known.status == "failed" else pending).append(request)
        return Left(pending + failed, good, settled, len(failed))

    def estimate(self, store: Store) -> RequestEstimate:
        """Return the estimated calls, tokens and USD."""
        left = self.left or self.read_left(store)
        past = [Usage(*row) for row in runs.usages(store, "asked", asker=self.identity)]
        return estimate(self.judge, left, self.body, self.output, past)

    def counts(self) -> Counts:
        """Return the counts of a run before its first request."""
        left = self.left
        return Counts(total=len(left.pending), before=len(left.good) + len(left.settled))

    def begin(self, store: Store, expected: Estimate, budget: float | None) -> int:
        """Record the start of a run; returns its id."""
        scope = self.scope | {"purpose": self.purpose}
        of = self.identity, self.sheet_name
        return runs.start_asking(store, *of, scope, expected.as_json(), budget)

    def run(self, run_id: int, budget: Budget, counts: Counts) -> "RequestRun":
        """The run that does it."""
        return RequestRun(budget, counts, BREAKING, id=run_id, plan=self)

    def progress(self, counts: Counts) -> str:
        """Return the progress of a run, in words."""
        unusable = {s: n for s, n in counts.statuses.items() if s != request_log.GOOD}
        trouble = "".join(f", {n:,} {status}" for status, n in sorted(unusable.items()))
        return (
            f"{counts.done:,} of {counts.total:,} asked ({counts.calls:,} calls; "
            f"{counts.before:,} stored before){trouble}; {counts.tokens_in:,} tokens in, "
            f"{counts.tokens_out:,} out, {counts.money()}"
        )

    def summary(self, store: Store, counts: Counts, expected: Estimate) -> str:
        """Return a sentence on how far a run got."""
        return f"{self.progress(counts)}."

    def outcome(
        self, store: Store, status: str, sentence: str, expected: Estimate, counts: Counts
    ) -> RequestOutcome:
        """Return how the run ended, and what is missing."""
        settled = replace(self, again=False).read_left(store).settled
        missing = tuple(Gap(key, known.status, known.why) for key, known in settled)
        of = self.name, status, sentence, expected, counts
        return RequestOutcome(*of, missing=missing)

    def command(self, db: str, argument: str, options: Options) -> list[str]:
        """The command line that does the same."""
        given = {
            "sheet": self.sheet_name,
            "model": self.judge.model,
            "base-url": options.base_url,
            "questions": self.scope.get("questions"),
            "concurrency": options.concurrency,
            "budget": options.budget,
        }
        flags = ["again", "yes"] if options.retry_unscored else ["yes"]
        command, judge = COMMANDS[self.purpose], judge_argument(argument)
        if command == "build":
            return command_line(db, command, {**given, "judge": judge}, flags)
        return command_line(db, command, given, flags, judge)


@dataclass(kw_only=True)
class RequestRun(Run):
    """A model asked for drafts or answers."""

    plan: RequestPlan
    send: Send | None = None

    def tasks(self) -> list[Request]:
        """Return the requests to send."""
        return self.plan.left.pending

    async def connect(self, stack: AsyncExitStack, connect: Connect) -> None:
        """Open the connection to the model's server."""
        self.send = (await stack.enter_async_context(connect(self.plan.judge))).ask

    async def work(self, task: Request) -> None:
        """Send the request until its reply is usable, at most ATTEMPTS times; store every reply."""
        reply, rejected = None, False

        async def take(attempt: int, body: dict[str, Any], answer: Answer) -> dict | None:
            nonlocal reply, rejected
            reply, rejected = self._reply(task, attempt, body, answer), answer.is_turned_away
            await self.disk.do(_keep, self.plan, task.key, reply)
            self.counts.note_reply(reply)
            final = (request_log.GOOD, "failed", *request_log.FINAL)
            return None if reply.status in final else body

        if not await self.ask(self.send, self.plan.body(task.key), take):
            return
        self.counts.done += 1
        self.counts.statuses[reply.status] += 1
        if reply.status != request_log.GOOD:
            self.counts.note_trouble(reply.status, reply.why)
        self.note_status(reply.status, reply.why, rejected)

    def _reply(
        self, request: Request, attempt: int, body: dict[str, Any], answer: Answer
    ) -> AskedReply:
        """One answer as it is stored, with its cost at today's price."""
        plan = self.plan
        unanswered = Verdict(answer.status, why=answer.why)
        read = unanswered if answer.status else plan.read(answer.completion)
        is_good = not isinstance(read, Verdict)
        status, why = (request_log.GOOD, "") if is_good else (read.status, read.why)
        return AskedReply(
            plan.purpose,
            plan.identity,
            request.digest,
            attempt,
            canonical_json(body),
            answer.raw,
            status,
            why,
            self.receipt(plan.judge, answer),
        )


def _keep(store: Store, plan: RequestPlan, key: Any, reply: AskedReply) -> None:
    """Store a reply, and in the same transaction what a usable one brings."""
    with store.write():
        request_log.add(store, reply)
        if reply.status == request_log.GOOD:
            plan.land(store, key, request_log.good_id(store, reply.digest))
