"""Jobs that grade nothing: drafts or answers from a model, with every reply kept.

Both keep their replies in the request log, by the hash of the request, so that nothing is paid
twice; what is made of a reply is made from the one on disk.
"""

import json
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

from concord.definitions import canonical_json, digest
from concord.judges.definition.prices import Band, PricedRequest
from concord.judges.prompting.reply import Verdict
from concord.judges.prompting.request import prompt_band
from concord.judges.run.estimate import Estimate
from concord.judges.run.job import (
    ATTEMPTS,
    Job,
    Options,
    Work,
    by_state,
    command_line,
    judge_argument,
)
from concord.judges.run.lock import RunLocation, locked, of_asker
from concord.judges.run.progress import Counts
from concord.judges.run.session import Line, Session
from concord.messages import said
from concord.store import runs
from concord.store.database import Store
from concord.store.runs import AskedReply


class Task(NamedTuple):
    """One request: what it is about, and the hash that tells if it was sent before."""

    key: Hashable
    digest: str


@dataclass(frozen=True, kw_only=True)
class RequestJob(Job):
    """Requests of one purpose that are left for a model; a task is a request.

    A purpose has these methods:

    - `wanted(store)` returns the keys of the requests that the sheet needs;
    - `body(store, key)` is the request for a key;
    - `read(completion)` returns what a completion holds, or a Verdict where it is unusable;
    - `unused(store)` returns the keys whose usable replies are not in the sheet yet, with these.

    Attributes:
        purpose: What the model is asked for: drafts or answers.
        output: About how many tokens a reply takes.
        judge: The judge whose model, settings and endpoint are used; nothing else of it.
        sheet_name: The sheet being built; only identifies its runs.
        keys: What the requests are about, one key each.
        good: The id of the usable reply, by key.
    """

    purpose: ClassVar[str]
    output: ClassVar[Band]
    retry_option: ClassVar[str] = "`--again`"

    sheet_name: str
    keys: Sequence[Any] = ()
    good: Mapping[Any, int] = field(default_factory=dict)

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

    def held(self, store: Store) -> AbstractContextManager[None]:
        """Hold the lock: a model is asked for one purpose by one process at a time."""
        busy = "{model} is being asked by another process. Wait for it, or stop it first."
        return locked(store, self.place(), said(busy, model=self.name))

    def left(self, store: Store) -> dict[str, Any]:
        """Sort the requests by what is stored of them; what failed before comes last."""
        keys, stored = self.wanted(store), runs.request_states(store, self.identity)
        good, unusable, tasks = {}, 0, {}
        for key in keys:
            task = Task(key, digest([self.identity, self.body(store, key)]))
            known = stored.get(task.digest)
            if known and known.good_id is not None:
                good[key] = known.good_id
            elif known and known.is_settled(ATTEMPTS) and not self.retry_unscored:
                unusable += 1
            else:
                state = "failed" if known and known.status == "failed" else "new"
                tasks.setdefault(task.digest, (state, task))
        of = {"keys": keys, "good": good, "settled": len(good) + unusable}
        return by_state(tasks.values()) | of

    def priced(self, store: Store, tasks: Sequence[Task]) -> Iterator[list[PricedRequest]]:
        """Return the request of each task."""
        for task in tasks:
            read = prompt_band(self.body(store, task.key))
            yield [PricedRequest(self.judge, self.judge.model, read, self.output)]

    def counted(self, requests: Sequence[list[PricedRequest]], scale: float) -> dict[str, Any]:
        """Count as `cached` those with a usable reply, as `settled` those without."""
        good = len(self.good)
        return {"cached": good, "settled": self.settled - good, "batches": False}

    def scope(self) -> dict[str, Any]:
        """Return the scope of a run, as stored with it: no key, no credentials."""
        judge = self.judge
        whose = {"judge": judge.name, "model": judge.model, "base_url": judge.url()}
        return whose | {"purpose": self.purpose}

    def workload(self, session: Session) -> tuple[Iterator[Task], Work]:
        """Return the pending requests, and what sends one until its reply is usable."""
        line, final = Line(session, self.judge), (runs.GOOD, "failed", *runs.FINAL)

        async def work(task: Task) -> None:
            body = self.body(session.reader, task.key)
            for attempt in range(1, ATTEMPTS + 1):
                answer = await line.send(body)
                unanswered = Verdict(answer.status, why=answer.why)
                read = unanswered if answer.status else self.read(answer.completion)
                is_good = not isinstance(read, Verdict)
                status, why = (runs.GOOD, "") if is_good else (read.status, read.why)
                text = answer.sent or canonical_json(body)
                of = self.purpose, self.identity, task.digest, attempt, text
                took = line.receipt(answer, self.judge.model)
                reply = AskedReply(*of, answer.raw, status, why, took)
                await session.disk.do(_keep, self, task.key, reply)
                session.counts.note_reply(status, took)
                if status in final or attempt == ATTEMPTS:
                    session.counts.note_done([reply])
                    return session.note_status(status, why, answer.is_turned_away)
                if not session.may_retry():
                    return None

        return iter(self.pending), work

    def summary(self, counts: Counts, expected: Estimate) -> str:
        """Return a sentence on how far a run got."""
        return f"{counts.sentence()}."

    def _command(self, db: str, options: Options, argument: str, **more: Any) -> list[str]:
        """The command line that does the same, with `more` options; `argument` names the judge."""
        given = {
            "judge": judge_argument(argument),
            "sheet": self.sheet_name,
            "model": self.judge.model,
            "base_url": options.base_url,
            "concurrency": options.concurrency,
            "budget": options.budget,
            "again": options.retry_unscored,
            "yes": True,
        }
        return command_line(db, "build", given | more)


def completion(store: Store, asked_id: int) -> Any:
    """Return the completion of a stored reply."""
    return json.loads(runs.asked_raw(store, asked_id))


def _keep(store: Store, job: RequestJob, key: Any, reply: AskedReply) -> None:
    """Store a reply, and in the same transaction what a usable one brings."""
    with store.write():
        runs.add_asked(store, reply)
        if reply.status == runs.GOOD:
            job.land(store, key, runs.good_asked(store, reply.digest))
