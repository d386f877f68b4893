"""Record: a run as it stands in the store, from its start to how it ends, whatever ends it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from data import runs
from data.store import Store
from judges.course import STOPPED, Course
from judges.job import Job
from judges.progress import Counts
from judges.writer import Writer
from problems import Problem
from words.said import said

FAULT = said("A fault in Concord ended the run; the command line shows it.")


@dataclass
class Record:
    """How a run ends, as it is kept; a fault unless whoever does the work says otherwise."""

    id: int
    status: str = "failed"
    why: str = FAULT


@contextmanager
def recorded(store: Store, run_id: int, counts: Counts) -> Iterator[Record]:
    """Keep how a run that was begun ends and how far it came, also where it is interrupted."""
    record = Record(run_id)
    try:
        yield record
    except KeyboardInterrupt:
        record.status, record.why = "stopped", said("Interrupted.")
        raise
    except Problem as problem:
        record.status, record.why = "failed", str(problem)
        raise
    finally:
        runs.finish(store, record.id, record.status, record.why, counts.as_dict())


async def beat(course: Course, disk: Writer, run_id: int, report: Callable[[Counts], None]) -> None:
    """Note progress; hear whether to stop, and of another budget."""
    if await disk.do(runs.beat, run_id, course.counts.as_dict()):
        course.end(STOPPED)
    course.budget = course.budget._replace(limit=await disk.do(runs.budget, run_id))
    report(course.counts)


def begin(
    store: Store,
    job: Job,
    grader_id: int,
    expected: dict[str, Any],
    budget: float | None,
    scope: dict[str, Any] | None = None,
) -> int:
    """Note the start of a judge's run; `scope` is what it is to do where the job does not say."""
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
    """What a run is to do, as it is kept with it."""
    found = {"limit": job.limit, "repeats": job.repeats, "retry_unscored": job.retry_unscored}
    if job.again:
        found |= {"first_repeat": job.again.first, "purpose": job.again.purpose}
    return found
