"""The job of a rubric judge: what is left to ask on a sheet, done, or in the cache.

Read from the store before every run, so repeating a run does only what is missing.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Any, NamedTuple

from concord.judges import few_shot
from concord.judges.definition.model import Judge, Shot
from concord.judges.prompting.prompt import parts
from concord.judges.prompting.request import fingerprint
from concord.model import Sheet
from concord.rubrics.model import Rubric
from concord.sampling import splits
from concord.sampling.leak_guard import origin, rubric_origins
from concord.store import batches, graders, grades, items, runs
from concord.store.database import Store


class Task(NamedTuple):
    """One question to the judge: a content, a part and a repeat, for every item that holds it."""

    content_hash: str
    part: str
    repeat: int
    item_ids: tuple[int, ...]


class Again(NamedTuple):
    """Extra replies to certain contents only, in addition to a run over the sheet.

    `contents` are hashes, `first` is the number of the first extra repeat, `purpose` is stored with
    the run.
    """

    contents: frozenset[str]
    first: int
    purpose: str


class Job(NamedTuple):
    """A judge, what it grades by, and what is left to do.

    `pending` must be asked; `cached` has a good reply on disk already and only lacks its grades;
    `settled` counts the (item, part, repeat) that are done, `failed` those of `pending` that
    failed before, `retried` those whose earlier reply gave no score and that are asked again,
    `closed` the items that are never scored and so never asked. `scored` are the (item, criterion,
    repeat) of `pending` and `cached` that have a score already, which stays. `again` narrows it to
    some contents and repeats. `in_batch` counts what an open batch asks, which is in none of them.
    `as_of` is the store's count of changes when it was prepared.
    """

    judge: Judge
    rubric: Rubric
    rubric_id: int
    sheet: Sheet
    shots: tuple[Shot, ...]
    fingerprint: str
    repeats: int
    limit: int | None
    retry_unscored: bool
    pending: list[Task]
    cached: list[Task]
    settled: int
    failed: int
    closed: int
    scored: frozenset[tuple[int, str, int]]
    again: Again | None = None
    retried: int = 0
    in_batch: int = 0
    as_of: tuple[int, int] | None = None


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
) -> Job:
    """Find out what a judge, overrides applied, has still to do on a sheet.

    Each item gets `repeats` separate replies in all. `limit` takes only the first so many items;
    `retry_unscored` asks again where an earlier reply gave no score; `again` takes only its
    contents, and only the repeats from its first.
    """
    as_of = store.changes()
    examples = tuple(few_shot.gather(store, judge, rubric, sheet))
    identity = fingerprint(judge, rubric, examples)
    grader = graders.find(store, "judge", f"{judge.name}@{identity}")
    shut = closed(store, judge, rubric, sheet, examples)
    by_content, number_closed = _by_content(store, sheet, shut, limit, again)
    numbers = range(again.first if again else 1, repeats + 1)
    versions = rubric.versions()
    places = {name: place for place, name in enumerate(versions)}
    asked = {
        part: {criterion.name: places[criterion.name] for criterion in criteria}
        for part, criteria in parts(judge, rubric).items()
    }
    known = (store, sheet.id, grader.id, [*versions.values()]) if grader else None
    left = _left(
        ((n, c, p) for n in numbers for c in by_content.items() for p in asked.items()),
        grades.standing(*known) if known else {},
        runs.good(store, grader.id, sheet.id) if grader else set(),
        batches.in_flight(store, grader.id) if grader else set(),
        retry_unscored,
    )
    return Job(
        judge=judge,
        rubric=rubric,
        rubric_id=rubric_id,
        sheet=sheet,
        shots=examples,
        fingerprint=identity,
        repeats=repeats,
        limit=limit,
        retry_unscored=retry_unscored,
        closed=number_closed,
        again=again,
        as_of=as_of,
        **left,
    )


def _by_content(
    store: Store, sheet: Sheet, shut: set[int], limit: int | None, again: Again | None
) -> tuple[dict[str, list[int]], int]:
    """The items that may be asked about by the hash of their content; how many may not be."""
    found, number_open, number_closed = defaultdict(list), 0, 0
    for item_id, question_id, content_hash in items.hashes(store, sheet.id):
        if question_id in shut:
            number_closed += 1
            continue
        number_open += 1
        within = limit is None or number_open <= limit
        if within and (again is None or content_hash in again.contents):
            found[content_hash].append(item_id)
    return found, number_closed


def renewed(store: Store, job: Job) -> Job:
    """Return the same job, read from the store again."""
    again = job.repeats, job.limit, job.retry_unscored, job.again
    return prepare(store, job.judge, job.rubric_id, job.rubric, job.sheet, *again)


def grader_id(store: Store, job: Job) -> int:
    """The judge's id as a grader, made now where it is new."""
    about = {"judge": stored_form(job.judge), "rubric": job.rubric.name}
    return graders.ensure(store, "judge", job.judge.name, job.fingerprint, definition=about)


def begin(
    store: Store,
    job: Job,
    grader_id: int,
    expected: dict[str, Any],
    budget: float | None,
    scope: dict[str, Any] | None = None,
) -> int:
    """Record the start of a judge's run; returns its id. `scope` defaults to that of the job."""
    return runs.start(
        store,
        grader_id,
        job.sheet.id,
        job.rubric_id,
        scope=scope or scope_of(job),
        examples=[shot.id for shot in job.shots],
        estimate=expected,
        budget=budget,
    )


def scope_of(job: Job) -> dict[str, Any]:
    """Return the scope of a run, as stored with it."""
    found = {"limit": job.limit, "repeats": job.repeats, "retry_unscored": job.retry_unscored}
    if job.again:
        found |= {"first_repeat": job.again.first, "purpose": job.again.purpose}
    return found


def stored_form(judge: Judge) -> dict[str, Any]:
    """The judge as it is stored: with the address it is asked at.

    So it stays the same judge when OPENAI_BASE_URL changes.
    """
    as_it_is = judge.model is None or judge.endpoint.azure_endpoint is not None
    return json.loads((judge if as_it_is else judge.with_overrides(base_url=judge.url())).body())


def closed(
    store: Store, judge: Judge, rubric: Rubric, sheet: Sheet, examples: tuple[Shot, ...]
) -> set[int]:
    """The questions that no figure will score, so that asking about them would be waste."""
    plan = judge.example_plan()
    shown = [origin(shot.item) for shot in examples]
    if plan is not None and plan.source == "rubric":
        shown += rubric_origins(rubric)
    return splits.leaked(store, sheet.id, shown)


def states(
    store: Store, sheet: Sheet, rubric: Rubric, judge_id: int
) -> dict[tuple[int, str, int], str]:
    """Status by (item, criterion, repeat) of what the judge has settled or failed on."""
    names = {version: name for name, version in rubric.versions().items()}
    return {
        (row["item_id"], names[row["version"]], row["repeat"]): row["status"]
        for row in grades.statuses(store, sheet.id, judge_id)
        if row["version"] in names
    }


def _left(
    questions: Iterable[tuple[int, tuple[str, list[int]], tuple[str, dict[str, int]]]],
    standing: dict[tuple[int, int], tuple[str | None, ...]],
    good: set[tuple[str, str, int]],
    in_flight: set[tuple[str, str, int]],
    retry_unscored: bool,
) -> dict[str, Any]:
    """Sort every (repeat, content with its items, part with its criteria) by what it needs.

    The result has the fields of `Job` from `pending` to `scored`, and the counts behind them.

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
                    settled += 1
                    continue
                scored |= {(item_id, n, repeat) for n, s in found.items() if s == "scored"}
                met |= {*found.values()} - {None, "scored"}
            left.append(item_id)
        if not left:
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
