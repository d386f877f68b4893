"""Tasks of a rubric run: what a judge has still to be asked, by what is stored.

Read from the store before every run, so repeating a run does only what is missing.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Any, NamedTuple

from concord.judges.prompting.prompt import parts
from concord.judges.rubric_runs.completion import Task
from concord.judges.running.job import JudgeJob
from concord.rubrics.model import Rubric
from concord.sampling import splits
from concord.sampling.leak_guard import Origin, origin, rubric_origins
from concord.store import batches, grades, items, runs
from concord.store.database import Store


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
        for part, criteria in parts(job.judge, rubric).items()
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
    refused = job.judge.kind == "decision" and not job.retry_unscored
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
