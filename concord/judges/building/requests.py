"""Jobs that grade nothing: drafts or answers from a model, with every reply kept.

Both keep their replies in the request log, by the hash of the request, so that nothing is paid
twice; what is made of a reply is made from the one on disk.
"""

import json
from abc import abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NamedTuple, Self

from concord.definitions import canonical_json, digest
from concord.judges.definition.prices import Band, PricedRequest, Usage
from concord.judges.prompting.reply import Verdict
from concord.judges.prompting.request import prompt_band
from concord.judges.run.estimate import Estimate, evenly
from concord.judges.run.job import (
    ATTEMPTS,
    FAILED,
    VALUES,
    Job,
    Options,
    Outcome,
    Run,
    command_line,
    judge_argument,
)
from concord.judges.run.lock import RunLocation, Tell, locked, of_asker, silent
from concord.judges.run.progress import Counts
from concord.judges.transport.response import Answer
from concord.messages import on_command_line, said
from concord.store import runs
from concord.store.database import Store
from concord.store.runs import AskedReply, RequestState

TOO_LONG_IN_A_ROW = said(
    "{n} requests in a row do not fit the model, so the run stopped. The last: {why} Name a model "
    "with a longer context and run it again; for the same model on a server with a longer context, "
    "choose “Retry requests without a usable reply”{on_command_line}.",
    **VALUES,
    on_command_line=on_command_line("`--again`"),
)


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


class RequestEstimate(Estimate):
    """Estimate for requests that grade nothing: `cached` have a usable reply, `settled` none."""

    heads = ("new", "without a usable reply", "usable replies stored")


class Task(NamedTuple):
    """One request: what it is about, and the hash that tells if it was sent before."""

    key: Hashable
    digest: str


PURPOSES = {"drafts": "drafts", "answers": "answers"}


@dataclass(frozen=True, kw_only=True)
class RequestJob(Job):
    """Requests of one purpose that are left for a model; a task is a request.

    Attributes:
        purpose: A key of `PURPOSES`.
        output: About how many tokens a reply takes.
        judge: The judge whose model, settings and endpoint are used; nothing else of it.
        sheet_name: The sheet being built; only identifies its runs.
        keys: What the requests are about, one key each.
        good: The id of the usable reply, by key.
        unusable: Keys without a usable reply that are not sent again.
    """

    purpose: ClassVar[str]
    output: ClassVar[Band]
    breaking: ClassVar[Mapping[str, str]] = {"failed": FAILED, "too_long": TOO_LONG_IN_A_ROW}

    sheet_name: str
    keys: Sequence[Any] = ()
    good: Mapping[Any, int] = field(default_factory=dict)
    unusable: Sequence[tuple[Any, RequestState]] = ()

    @abstractmethod
    def wanted(self, store: Store) -> Sequence[Any]:
        """Return the keys of the requests that the sheet needs."""

    @abstractmethod
    def body(self, store: Store, key: Any) -> dict[str, Any]:
        """Return the request for a key."""

    @abstractmethod
    def read(self, completion: Any) -> Any:
        """Return what a completion holds; a Verdict with the reason where it is unusable."""

    @abstractmethod
    def title(self, store: Store, key: Any) -> str:
        """Return the name of a key for annotators."""

    @abstractmethod
    def unused(self, store: Store) -> list[tuple[Any, int]]:
        """Return the keys whose usable replies are not in the sheet yet, with these replies."""

    def land(self, store: Store, key: Any, asked_id: int) -> None:
        """Store what a usable reply brings, in the transaction that stores the reply."""

    @property
    def name(self) -> str:
        """The model."""
        return self.judge.model

    @property
    def identity(self) -> str:
        """The hash of purpose, endpoint, headers and model."""
        judge = self.judge
        return digest([self.purpose, judge.url(), judge.extra_headers, judge.model])

    def place(self, store: Store | None = None) -> RunLocation:
        """Return the location of its runs for the sheet."""
        return of_asker(self.identity, self.sheet_name)

    def held(self, store: Store, tell: Tell = silent) -> AbstractContextManager[None]:
        """Hold the lock: a model is asked for one purpose by one process at a time."""
        busy = said(
            "{model} is being asked for {purpose} by another process. Wait for it, or stop it "
            "first.",
            model=self.judge.model,
            purpose=PURPOSES[self.purpose],
        )
        return locked(store, self.place(), busy)

    def renewed(self, store: Store) -> Self:
        """Return the same job, read from the store again; what failed before comes last."""
        as_of, keys = store.changes(), self.wanted(store)
        stored = runs.request_states(store, self.identity)
        pending, good, unusable, failed, seen = [], {}, [], [], set()
        for key in keys:
            task = Task(key, digest([self.identity, self.body(store, key)]))
            known = stored.get(task.digest)
            if known and known.good_id is not None:
                good[key] = known.good_id
            elif known and known.is_settled(ATTEMPTS) and not self.retry_unscored:
                unusable.append((key, known))
            elif task.digest not in seen:
                seen.add(task.digest)
                (failed if known and known.status == "failed" else pending).append(task)
        return replace(
            self,
            keys=keys,
            pending=pending + failed,
            good=good,
            unusable=unusable,
            settled=len(good) + len(unusable),
            failed=len(failed),
            as_of=as_of,
        )

    def estimate(self, store: Store) -> RequestEstimate:
        """Return the estimated calls, tokens and USD."""
        sample, model = evenly(self.pending), self.judge.model
        bands = [prompt_band(self.body(store, task.key)) for task in sample]
        past = runs.usages(store, "asked", asker=self.identity)
        return RequestEstimate.of(
            self.judge,
            [PricedRequest(self.judge, model, read, self.output) for read in bands],
            len(self.pending) / max(1, len(sample)),
            [Usage(*row) for row in past],
            cached=len(self.good),
            failed=self.failed,
            settled=len(self.unusable),
            new=len(self.pending) - self.failed,
        )

    def scope(self) -> dict[str, Any]:
        """Return the scope of a run, as stored with it: no key, no credentials."""
        judge = self.judge
        whose = {"judge": judge.name, "model": judge.model, "base_url": judge.url()}
        return whose | {"purpose": self.purpose}

    def begin(
        self, store: Store, expected: Mapping[str, Any], budget: float | None, **more: Any
    ) -> int:
        """Record the start of a run; returns its id."""
        of = self.identity, self.sheet_name, self.scope() | more
        return runs.start_asking(store, *of, expected, budget)

    def run(self, store: Store, **state: Any) -> "RequestRun":
        """Return the run that does it."""
        return RequestRun(**state)

    def summary(self, store: Store, counts: Counts, expected: Estimate) -> str:
        """Return a sentence on how far a run got."""
        return f"{counts.sentence()}."

    def outcome(
        self, store: Store, status: str, sentence: str, expected: Estimate, counts: Counts
    ) -> RequestOutcome:
        """Return how the run ended, and what is missing."""
        unusable = replace(self, retry_unscored=False).renewed(store).unusable
        missing = [Gap(self.title(store, key), known.status, known.why) for key, known in unusable]
        of = self.name, status, sentence, expected, counts
        return RequestOutcome(*of, missing=tuple(missing))

    def _command(
        self, db: str, options: Options, argument: str, flags: list[str], **more: Any
    ) -> list[str]:
        """The command line that does the same, with `more` options; `argument` names the judge."""
        given = {
            "judge": judge_argument(argument),
            "sheet": self.sheet_name,
            "model": self.judge.model,
            "base-url": options.base_url,
            "concurrency": options.concurrency,
            "budget": options.budget,
        }
        flags = [*flags, "again", "yes"] if options.retry_unscored else [*flags, "yes"]
        return command_line(db, "build", {**given, **more}, flags)


def completion(store: Store, asked_id: int) -> Any:
    """Return the completion of a stored reply."""
    return json.loads(runs.asked_raw(store, asked_id))


@dataclass(kw_only=True)
class RequestRun(Run):
    """A model asked for drafts or answers."""

    job: RequestJob

    async def work(self, task: Task) -> None:
        """Send the request until its reply is usable, at most ATTEMPTS times; store every reply."""
        reply, rejected = None, False

        async def take(attempt: int, body: dict[str, Any], answer: Answer) -> dict | None:
            nonlocal reply, rejected
            reply, rejected = self._reply(task, attempt, body, answer), answer.is_turned_away
            await self.disk.do(_keep, self.job, task.key, reply)
            self.counts.note_reply(reply.status, reply.receipt)
            final = (runs.GOOD, "failed", *runs.FINAL)
            return None if reply.status in final else body

        if not await self.ask(self.send, self.job.body(self.reader, task.key), take):
            return
        self.counts.note_done([reply])
        self.note_status(reply.status, reply.why, rejected)

    def _reply(self, task: Task, attempt: int, body: dict[str, Any], answer: Answer) -> AskedReply:
        """One answer as it is stored, with its cost at today's price."""
        job = self.job
        unanswered = Verdict(answer.status, why=answer.why)
        read = unanswered if answer.status else job.read(answer.completion)
        is_good = not isinstance(read, Verdict)
        status, why = (runs.GOOD, "") if is_good else (read.status, read.why)
        return AskedReply(
            job.purpose,
            job.identity,
            task.digest,
            attempt,
            canonical_json(body),
            answer.raw,
            status,
            why,
            self.receipt(job.judge, answer),
        )


def _keep(store: Store, job: RequestJob, key: Any, reply: AskedReply) -> None:
    """Store a reply, and in the same transaction what a usable one brings."""
    with store.write():
        runs.add_asked(store, reply)
        if reply.status == runs.GOOD:
            job.land(store, key, runs.good_asked(store, reply.digest))
