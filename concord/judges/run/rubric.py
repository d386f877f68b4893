"""The job of a rubric run: the grades that a judge has still to give on a sheet."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property
from typing import Any, NamedTuple, Self

from concord.definitions import canonical_json
from concord.judges import few_shot
from concord.judges.definition import prices as definition_prices
from concord.judges.definition.model import Judge
from concord.judges.definition.prices import Band, Price, PricedRequest, Usage, token_band
from concord.judges.prompting.request import (
    fingerprint,
    reply_band,
    request,
    requests_digest,
    route,
)
from concord.judges.run.estimate import Estimate, evenly
from concord.judges.run.exchange import Exchange, RubricRun, Task
from concord.judges.run.job import JudgeJob
from concord.messages import said
from concord.model import Sheet
from concord.rubrics.model import Rubric
from concord.sampling import splits
from concord.sampling.leak_guard import Origin, origin, rubric_origins
from concord.store import batches, graders, grades, items, runs
from concord.store.database import Store
from concord.store.rubrics import rubric_versions


class Again(NamedTuple):
    """Extra replies to certain contents only, in addition to a run over the sheet.

    `contents` are hashes, `first` is the number of the first extra repeat, `purpose` is stored with
    the run.
    """

    contents: frozenset[str]
    first: int
    purpose: str


def left(store: Store, job: JudgeJob, rubric: Rubric, again: Again | None) -> dict[str, Any]:
    """Return the fields of a job of the judge that depend on what is stored."""
    shut = closed(store, job, rubric)
    by_content, number_closed = _by_content(store, job, shut, again)
    numbers = range(again.first if again else 1, job.repeats + 1)
    versions = rubric.versions()
    places = {name: place for place, name in enumerate(versions)}
    asked = {
        part: {criterion.name: places[criterion.name] for criterion in criteria}
        for part, criteria in job.judge.parts(rubric).items()
    }
    known, same, reusable = job.grader(store), job.alike(store), _reusable(job)
    found = _sorted(
        ((n, c, p) for n in numbers for c in by_content.items() for p in asked.items()),
        grades.status_by_version(store, job.sheet.id, known.id, [*versions.values()])
        if known
        else {},
        runs.good_replies(store, same, job.sheet.id, reusable),
        batches.in_flight(store, same),
        job.retry_unscored,
    )
    return {**found, "closed": number_closed, "same": same, "reusable": reusable}


def _reusable(job: JudgeJob) -> tuple[str, ...]:
    """Return the statuses of stored replies that settle a request.

    A decision model refuses single questions and answers the others, which stay of use.
    """
    refused = not job.judge.chats and not job.retry_unscored
    return ("scored", "refused") if refused else ("scored",)


def closed(store: Store, job: JudgeJob, rubric: Rubric) -> set[int]:
    """The questions that are not asked: no figure will score them, so it would be waste."""
    return splits.leaked(store, job.sheet.id, _shown(job, rubric))


def _shown(job: JudgeJob, rubric: Rubric) -> list[Origin]:
    """The origins of the examples that the judge is shown."""
    plan = job.judge.example_plan()
    shown = [origin(shot.item) for shot in job.shots]
    if plan is not None and plan.source == "rubric":
        shown += rubric_origins(rubric)
    return shown


def _by_content(
    store: Store, job: JudgeJob, shut: set[int], again: Again | None
) -> tuple[dict[str, list[int]], int]:
    """The items that may be asked about by the hash of their content; how many may not be."""
    found, number_open, number_closed = defaultdict(list), 0, 0
    for item_id, question_id, content_hash in items.hashes(store, job.sheet.id):
        if question_id in shut:
            number_closed += 1
            continue
        number_open += 1
        within = job.limit is None or number_open <= job.limit
        if within and (again is None or content_hash in again.contents):
            found[content_hash].append(item_id)
    return found, number_closed


def _sorted(
    questions: Iterable[tuple[int, tuple[str, list[int]], tuple[str, dict[str, int]]]],
    standing: dict[tuple[int, int], tuple[str | None, ...]],
    good: set[tuple[str, str, int]],
    in_flight: set[tuple[str, str, int]],
    retry_unscored: bool,
) -> dict[str, Any]:
    """Sort every (repeat, content with its items, part with its criteria) by what it needs.

    A criterion comes with its place in the statuses of an item. What failed before comes last, so
    that a few answers that a server always refuses do not end each run before it has begun.
    """
    pending, failed, cached, scored, settled, before = [], [], [], set(), 0, Counter()
    for repeat, (content_hash, item_ids), (part, criteria) in questions:
        left, met = [], set()
        for item_id in item_ids:
            if known := standing.get((item_id, repeat)):
                found = {name: known[place] for name, place in criteria.items()}
                if _is_settled(found, retry_unscored):
                    continue
                scored |= {(item_id, n, repeat) for n, s in found.items() if s == "scored"}
                met |= {*found.values()} - {None, "scored"}
            left.append(item_id)
        if not left:
            settled += 1  # a request, whatever number of items it is for, as in a run's counts
            continue
        task = Task(content_hash, part, repeat, tuple(left))
        if (content_hash, part, repeat) in good:
            cached.append(task)
        elif (content_hash, part, repeat) in in_flight:
            before["in_batch"] += 1
        else:
            (failed if "failed" in met else pending).append(task)
            before["failed" if "failed" in met else "retried"] += bool(met)
    counts = {name: before[name] for name in ("failed", "retried", "in_batch")}
    found = {"pending": pending + failed, "cached": cached, "settled": settled}
    return {**found, "scored": frozenset(scored), **counts}


def _is_settled(found: dict[str, str | None], retry_unscored: bool) -> bool:
    """True where an item needs no request, from the status of each criterion."""
    if retry_unscored:
        return all(status == "scored" for status in found.values())
    return all(status not in (None, "failed") for status in found.values())


def estimate(
    store: Store,
    job: JudgeJob,
    rubric: Rubric,
    in_batch: int = 0,
    prices: Sequence[Price] | None = None,
) -> Estimate:
    """Return the estimated calls, tokens and USD; requests to a larger sibling at its price."""
    known = job.grader(store)
    past = runs.usages(store, "replies", grader_id=known.id) if known else []
    sample, output, requests = evenly(job.pending), _output(job.judge, rubric), []
    for task in sample:
        item = items.item(store, task.item_ids[0]).item
        body = request(job.judge, rubric, item, task.part, job.shots)
        read = token_band(canonical_json(body))
        requests.append(PricedRequest(job.judge, route(job.judge, body), read, output))
    return Estimate.of(
        job.judge,
        requests,
        len(job.pending) / max(1, len(sample)),
        [Usage(*row) for row in past],
        prices,
        batches=job.judge.batches,
        cached=len(job.cached),
        failed=job.failed,
        settled=job.settled,
        new=len(job.pending) - job.failed - job.retried,
        retried=job.retried,
        in_batch=in_batch,
        basis=_paid_before(store, job, rubric),
    )


def _paid_before(store: Store, job: JudgeJob, rubric: Rubric) -> str:
    """A sentence on stored replies without confidence, which are of no use; '' without any."""
    judge = job.judge
    if not job.pending or not (judge.logprobs or judge.confidence):
        return ""
    plain = judge.changed({"logprobs": None, "confidence": None, "reading": None})
    label = f"{judge.name}@{fingerprint(plain, rubric, job.shots)}"
    known = graders.find(store, "judge", label)
    stored = len(runs.good_replies(store, [known.id], job.sheet.id)) if known else 0
    if not stored:
        return ""
    return said(
        "Asking for confidence is another request: the {n:,} stored replies without it cannot be "
        "used and are paid again.",
        n=stored,
    )


def most_usd(judge: Judge, rubric: Rubric, body: dict, price: Price | None) -> float:
    """The upper estimate of one request in USD, from its length; 0 where the price is unknown."""
    expected = Usage(token_band(canonical_json(body)).high, _output(judge, rubric).high)
    return float(definition_prices.cost(expected, price) or 0)


def _output(judge: Judge, rubric: Rubric) -> Band:
    """About how many tokens a reply takes."""
    per_call = max(len(c) for c in judge.parts(rubric).values())
    return reply_band(judge, per_call)


@dataclass(frozen=True, kw_only=True)
class RubricJob(JudgeJob):
    """Grades by a rubric that a judge has left to give; a task is a content, part and repeat.

    `scored` are the (item, criterion, repeat) of `pending` and `cached` that have a score already,
    which stays. `again` narrows it to some contents and repeats. `in_batch` counts what an open
    batch asks, which is in none of them. Stored replies of the judges with the ids `same`, with one
    of the statuses `reusable`, are those that `cached` takes.
    """

    kind = "judge"

    rubric: Rubric
    scored: frozenset[tuple[int, str, int]] = frozenset()
    again: Again | None = None
    in_batch: int = 0
    same: Sequence[int] = ()
    reusable: Sequence[str] = ()

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

    def without_annotators(self, store: Store) -> str | None:
        """Return that annotators graded the sheet under other rubrics alone; None otherwise."""
        return rubric_versions.without_annotators(store, self.sheet, self.rubric.name)

    def renewed(self, store: Store) -> Self:
        """Return the same job, read from the store again."""
        of = self.judge, self.rubric_id, self.rubric, self.sheet
        how = self.repeats, self.limit, self.retry_unscored, self.again
        return prepare(store, *of, *how)

    def definition(self) -> dict[str, Any]:
        """Return what is stored of the judge as a grader."""
        found = super().definition() | {"rubric": self.rubric.name}
        if self.judge.reading_rule() is None:
            return found
        # By it the replies to the same requests are found, whatever rule reads them.
        return found | {"requests": self.requests}

    def scope(self) -> dict[str, Any]:
        """Return the scope of a run, as stored with it."""
        if self.again is None:
            return super().scope()
        return super().scope() | {
            "first_repeat": self.again.first,
            "purpose": self.again.purpose,
            "contents": sorted(self.again.contents),
        }

    def estimate(self, store: Store, prices: Sequence[Price] | None = None) -> Estimate:
        """Return the estimated calls, tokens and USD; `prices` are those of prices.toml."""
        return estimate(store, self, self.rubric, self.in_batch, prices)

    def exchange(self, store: Store, run_id: int, batch_of: date | None = None) -> Exchange:
        """Return what the requests of a run share; `batch_of` is the day a batch was submitted."""
        return Exchange(
            self.judge, self.shots, self.rubric, self.scored, self.register(store), run_id, batch_of
        )

    def run(self, store: Store, **state: Any) -> RubricRun:
        """Return the run that does it."""
        return RubricRun(**state, exchange=self.exchange(store, state["id"]))


def prepare(
    store: Store,
    judge: Judge,
    rubric_id: int,
    rubric: Rubric,
    sheet: Sheet,
    repeats: int = 1,
    limit: int | None = None,
    retry_unscored: bool = False,
    again: Again | None = None,
) -> RubricJob:
    """Find out what a judge, overrides applied, has still to do on a sheet.

    Each item gets `repeats` separate replies in all. `limit` takes only the first so many items;
    `retry_unscored` asks again where an earlier reply gave no score; `again` takes only its
    contents, and only the repeats from its first.
    """
    as_of = store.changes()
    shots = tuple(few_shot.gather(store, judge, rubric, sheet))
    job = RubricJob(
        judge=judge,
        rubric=rubric,
        rubric_id=rubric_id,
        sheet=sheet,
        shots=shots,
        fingerprint=fingerprint(judge, rubric, shots),
        repeats=repeats,
        limit=limit,
        retry_unscored=retry_unscored,
        again=again,
        as_of=as_of,
    )
    return replace(job, **left(store, job, rubric, again))
