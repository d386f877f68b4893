"""Rubric runs: the grades that a judge has still to give on a sheet, by one request a task.

A task is a content, a part of the rubric and a repeat. Every reply is put on disk as it arrives;
of several replies to a task the best counts for the grades.
"""

import datetime
import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any, NamedTuple

from concord.definitions import canonical_json
from concord.judges import few_shot
from concord.judges.definition.model import Judge
from concord.judges.definition.prices import Band, DayPrice, PricedRequest, token_band
from concord.judges.prompting.reply import Verdict, finished, number_scored
from concord.judges.prompting.request import (
    fingerprint,
    reply_band,
    requests_digest,
    route,
    to_larger,
)
from concord.judges.run.job import ATTEMPTS, JudgeJob, Work, blocks, by_state
from concord.judges.run.progress import Counts
from concord.judges.run.session import Line, Session
from concord.judges.run.writer import Landed, commit
from concord.judges.transport.response import Answer, receipt
from concord.model import Item, Sheet
from concord.rubrics.model import Rubric
from concord.sampling import splits
from concord.sampling.leak_guard import origin, rubric_origins
from concord.store import batches, graders, grades, items, runs
from concord.store.database import Store
from concord.store.grades import Press
from concord.store.runs import Reply

# Replies that do not settle their task before the last attempt.
UNREADABLE = ("unparsable", "truncated")
AT_ONCE = 100  # tasks, whose items and earlier replies are read together
CACHED_AT_ONCE = 200
TOO_LONG = Verdict("too_long", why="The prompt does not fit the model's context.")


class Task(NamedTuple):
    """One question to the judge: a content, a part and a repeat, for every item that holds it."""

    content_hash: str
    part: str
    repeat: int
    item_ids: tuple[int, ...]


class Again(NamedTuple):
    """Extra replies to certain contents only, in addition to a run over the sheet.

    `contents` are hashes, sorted; `first_repeat` is the number of the first extra repeat; `purpose`
    says what for.
    """

    contents: Sequence[str]
    first_repeat: int
    purpose: str


class Attempts(NamedTuple):
    """A task with the request to send next: None if it is settled, or fits no model.

    `tried` counts the requests sent for it, `best` is the best reply's verdict on each criterion.
    """

    task: Task
    body: dict[str, Any] | None
    tried: int = 0
    best: Mapping[str, Verdict] = {}


@dataclass(frozen=True, kw_only=True)
class RubricJob(JudgeJob):
    """Grades by a rubric that a judge has left to give.

    `again` narrows it to some contents and repeats.
    """

    kind = "judge"

    rubric: Rubric
    again: Again | None = None

    @property
    def reusable(self) -> Sequence[str]:
        """The statuses of stored replies that are taken in place of a request."""
        # A decision model refuses single questions and answers the others, which stay of use.
        refused = not self.judge.chats and not self.retry_unscored
        return ("scored", "refused") if refused else ("scored",)

    @cached_property
    def requests(self) -> str:
        """The identity of its requests, which judges with another reading rule share."""
        return requests_digest(self.judge, self.rubric, self.shots)

    def alike(self, store: Store) -> list[int]:
        """Return the ids of the judges that send the same requests, whatever rule reads them.

        Their replies are taken as its own, so that nothing is paid twice.
        """
        if not self.judge.is_read():
            return super().alike(store)
        return graders.with_requests(store, self.requests)

    def definition(self) -> dict[str, Any]:
        """Return what is stored of the judge as a grader."""
        # By the requests the replies to the same are found, whatever rule reads them.
        shared = {"requests": self.requests} if self.judge.reading_rule() else {}
        return super().definition() | {"rubric": self.rubric.name} | shared

    def scope(self) -> dict[str, Any]:
        """Return the scope of a run, as stored with it."""
        return super().scope() | (self.again._asdict() if self.again else {})

    @cached_property
    def names(self) -> dict[str, list[str]]:
        """The names of the criteria of each part."""
        parts = self.judge.parts(self.rubric).items()
        return {part: [one.name for one in criteria] for part, criteria in parts}

    def closed_questions(self, store: Store) -> set[int]:
        """The questions that are not asked: no figure will score them, so it would be waste."""
        plan, shown = self.judge.example_plan(), [origin(shot.item) for shot in self.shots]
        if plan is not None and plan.source == "rubric":
            shown += rubric_origins(self.rubric)
        return splits.leaked(store, self.sheet.id, shown)

    def left(self, store: Store) -> dict[str, Any]:
        """Sort every repeat of every part of every content by what it needs."""
        by_content, closed = self.contents(store)
        versions, again, sheet_id = self.rubric.versions(), self.again, self.sheet.id
        places = {name: place for place, name in enumerate(versions)}
        known, same, no_grade = self.grader(store), self.alike(store), (None,) * len(versions)
        asked = [*versions.values()]
        standing = grades.status_by_version(store, sheet_id, known.id, asked) if known else {}
        good = runs.good_replies(store, same, sheet_id, self.reusable)
        in_flight = batches.in_flight(store, same)

        def tasks() -> Iterator[tuple[str, Task]]:
            repeats = range(again.first_repeat if again else 1, self.repeats + 1)
            wanted = {*again.contents} if again else by_content
            contents = [one for one in by_content if one in wanted]
            for repeat, content_hash, part in product(repeats, contents, self.names):
                names, left, has_failed = self.names[part], [], False
                for item_id in by_content[content_hash]:
                    given = standing.get((item_id, repeat), no_grade)
                    found = {given[places[name]] for name in names}
                    is_open = self.retry_unscored or None in found or "failed" in found
                    if is_open and found != {"scored"}:
                        left.append(item_id)
                        has_failed |= "failed" in found
                task = Task(content_hash, part, repeat, tuple(left))
                if not left:  # a request, whatever number of items it is for
                    state = "settled"
                elif task[:3] in good:
                    state = "cached"
                elif task[:3] in in_flight:
                    state = "in_batch"
                else:
                    state = "failed" if has_failed else "new"
                yield state, task

        return by_state(tasks()) | {"closed": closed}

    @cached_property
    def bodies(self) -> dict[str, Callable[[Item], dict[str, Any]]]:
        """What makes the request of each part."""
        made = self.judge.requester
        return {part: made(self.rubric, part, self.shots) for part in self.names}

    def priced(self, store: Store, tasks: Sequence[Task]) -> Iterator[list[PricedRequest]]:
        """Return the request of each task; one to a larger sibling at its price."""
        for task in tasks:
            body = self.bodies[task.part](items.item(store, task.item_ids[0]).item)
            read = token_band(canonical_json(body))
            yield [PricedRequest(self.judge, route(self.judge, body), read, self.output)]

    @property
    def output(self) -> Band:
        """About how many tokens a reply takes."""
        return reply_band(self.judge, max(map(len, self.names.values())))

    def take_cached(self, store: Store, run_id: int, counts: Counts) -> bool:
        """Grade what stored replies to the same content settle; True if the run is to stop.

        A task whose reply was deleted with its sheet since the job was read becomes pending.
        """
        if not self.cached:
            return False
        grading = Grading(self, store, run_id, counts)
        # In chunks: one transaction for 100,000 cached grades would block annotators for its
        # length.
        for chunk in blocks(self.cached, CACHED_AT_ONCE):
            landed = []
            for task in chunk:
                raw = runs.good_raw(store, grading.same, *task[:3], self.reusable)
                if raw is None:
                    self.pending.append(task)
                    continue
                of = Attempts(task, None, best=grading.stored(task, raw))
                landed.append(Landed((), grading.presses(of)))
                counts.cached += 1
                counts.note_done(of.best.values())
            commit(store, run_id, landed)
            if runs.heartbeat(store, run_id, counts.as_dict()):
                return True
        return False

    def workload(self, session: Session) -> tuple[Iterator[Attempts], Work]:
        """Return the pending tasks with their first request, and what asks until one is settled.

        Attempts before a run was stopped count, as they are paid.
        """
        line = Line(session, self.judge)
        grading = Grading(self, session.reader, session.id, session.counts)

        async def work(of: Attempts) -> None:
            answer = None
            if of.body is None:
                await session.land((), grading.presses(of))
            while of.body is not None:
                answer = await line.send(of.body)
                landed, of = grading.taken(of, answer)
                await session.land(*landed)
                if of.body is not None and not session.may_retry():
                    return
            session.counts.note_done(of.best.values())
            if answer is not None:
                # Different statuses of one reply break nothing.
                first, *others = of.best.values()
                alike = all(one.status == first.status for one in others)
                session.note_status(first.status if alike else "", first.why, answer.is_turned_away)

        return grading.begun(session.reader, self.pending), work


def prepare(
    store: Store, judge: Judge, rubric_id: int, rubric: Rubric, sheet: Sheet, **more: Any
) -> RubricJob:
    """Find out what a judge, overrides applied, has still to do on a sheet.

    `more` are fields of the job. Each item gets `repeats` separate replies in all. `limit` takes
    only the first so many items; `retry_unscored` asks again where an earlier reply gave no score;
    `again` takes only its contents, and only the repeats from its first.
    """
    shots = tuple(few_shot.gather(store, judge, rubric, sheet))
    job = RubricJob(
        judge=judge,
        rubric=rubric,
        rubric_id=rubric_id,
        sheet=sheet,
        shots=shots,
        fingerprint=fingerprint(judge, rubric, shots),
        **more,
    )
    return job.renewed(store)


class Grading:
    """What one run makes of the tasks and replies of a job, live or in a batch.

    `batch_of` is the day a batch was submitted, whose prices apply; None for live replies, each at
    its own day's price.
    """

    def __init__(
        self,
        job: RubricJob,
        store: Store,
        run_id: int,
        counts: Counts,
        batch_of: datetime.date | None = None,
    ):
        self.job, self.run_id, self.counts = job, run_id, counts
        self.grader_id = job.register(store)
        self.price = DayPrice(job.judge, batch_of).of
        self.same = {self.grader_id, *job.alike(store)}
        self._versions = job.rubric.versions()
        # A score on disk is never replaced by a later reply, also where only another criterion was
        # missing.
        self._scored = {
            (row["item_id"], row["version"], row["repeat"])
            for row in grades.statuses(store, job.sheet.id, self.grader_id)
            if row["status"] == "scored"
        }

    def begun(self, store: Store, tasks: Sequence[Task]) -> Iterator[Attempts]:
        """Yield tasks with the next request, to the model that it fits; None if it fits none."""
        judge, bodies = self.job.judge, self.job.bodies
        for block in blocks(tasks, AT_ONCE):
            ids = [task.item_ids[0] for task in block]
            known = {one.id: one for one in items.items(store, ids)}
            for of in self.earlier(store, block):
                if of.body is None:
                    id_ = of.task.item_ids[0]
                    body = bodies[of.task.part]((known.get(id_) or items.item(store, id_)).item)
                    if model := route(judge, body):
                        of = of._replace(body=body | {"model": model})
                    else:
                        of = of._replace(best=dict.fromkeys(self.job.names[of.task.part], TOO_LONG))
                yield of

    def earlier(self, store: Store, tasks: Sequence[Task]) -> Iterator[Attempts]:
        """Yield tasks with the next request where a run left them between two attempts.

        After the last attempt, or a failure, the attempts begin anew where it is asked again.
        """
        ids = [item_id for task in tasks for item_id in task.item_ids]
        replies = defaultdict(list)
        for row in runs.unscored(store, self.same, ids):
            replies[row["content_hash"], row["part"], row["repeat"]].append(row)
        for task in tasks:
            rows, of = replies[task[:3]], Attempts(task, None)
            if rows and (last := rows[-1])["attempt"] < ATTEMPTS:
                body = json.loads(last["request"])
                if last["status"] == "too_long":
                    body = to_larger(self.job.judge, body)
                if body and last["status"] in ("too_long", *UNREADABLE):
                    unread = (row["raw"] for row in rows if row["status"] in UNREADABLE)
                    known = best(self.stored(task, raw) for raw in unread)
                    of = Attempts(task, body, last["attempt"], known)
            yield of

    def taken(self, of: Attempts, answer: Answer) -> tuple[Landed, Attempts]:
        """Take a reply: what goes to the disk, and the request that follows.

        Where none does, the grades are part of it. The reply is counted here, the task is not.
        """
        task, attempt, judge, body = of.task, of.tried + 1, self.job.judge, of.body
        if answer.status:
            verdict = Verdict(answer.status, why=answer.why)
            verdicts = dict.fromkeys(self.job.names[task.part], verdict)
        else:
            # A chat completion is decoded already; a decision has to be read as it came.
            verdicts = self.stored(task, answer.completion if judge.chats else answer.raw)
        statuses = (one.reply_status for one in verdicts.values())
        status = next((one for one in statuses if one != "scored"), "scored")
        took = receipt(answer, self.price(body["model"]))
        self.counts.note_reply(status, took)
        asked = self.grader_id, task.item_ids[0], *task[:3], attempt
        reply = Reply(*asked, answer.sent or canonical_json(body), answer.raw, status, took)
        if answer.status == "too_long":
            body = to_larger(judge, body)
        # A failed request was already retried by the client, so another attempt here would multiply
        # its retries.
        elif answer.status == "failed" or finished(verdicts):
            body = None
        body = body if attempt < ATTEMPTS else None
        of = Attempts(task, body, attempt, best([of.best, verdicts]))
        return Landed([reply], () if of.body else self.presses(of)), of

    def stored(self, task: Task, reply: Any) -> dict[str, Verdict]:
        """Verdicts by criterion in a reply as it was received, or decoded from JSON."""
        return self.job.judge.read(reply, self.job.names[task.part], self.job.rubric.scale)

    def presses(self, of: Attempts) -> list[Press]:
        """Grades of every item with this content, by the best reply."""
        task = of.task
        return [
            Press(
                item_id,
                self._versions[name],
                self.grader_id,
                verdict.status,
                verdict.score,
                verdict.reason or verdict.why,
                repeat=task.repeat,
                run_id=self.run_id,
                distribution=verdict.distribution,
            )
            for item_id in task.item_ids
            for name, verdict in of.best.items()
            if (item_id, self._versions[name], task.repeat) not in self._scored
        ]


def best(verdicts: Iterable[dict[str, Verdict]]) -> dict[str, Verdict]:
    """Return the verdicts of the reply that scores most; the last of several that do."""
    return max(reversed([*verdicts]), key=number_scored, default={})
