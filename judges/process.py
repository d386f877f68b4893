"""Process: a judge's run that the app starts as a process of its own."""

from data.store import Store
from judges import job as jobs
from judges import launch
from judges.job import Job
from judges.measuring.job import MeasureJob
from judges.measuring.run import grader_id as of_measures
from judges.place import of_judge
from judges.session import Options
from words.said import said


def start(store: Store, job: Job | MeasureJob, argument: str, options: Options) -> None:
    """Start a job as a process of its own; `argument` and `options` are those of the verb."""
    made = of_measures if isinstance(job, MeasureJob) else jobs.grader_id
    place = of_judge(job.sheet.id, made(store, job))
    given = command(store.path, argument, job.sheet.name, options)
    busy = said(
        "{judge} is at work on “{sheet}” already.", judge=job.judge.name, sheet=job.sheet.name
    )
    launch.start(store, place, given, busy)


def is_alive(store: Store, sheet_id: int, grader_id: int) -> bool:
    """Whether a process that the app started is still there, also before its run has begun."""
    return launch.is_alive(store, of_judge(sheet_id, grader_id))


def trouble(store: Store, sheet_id: int, grader_id: int) -> str:
    """What a process printed that ended before its run began; '' where none did."""
    return launch.trouble(store, of_judge(sheet_id, grader_id))


def has_begun(store: Store, sheet_id: int, grader_id: int) -> bool:
    """Whether the run of the process that was started last is on record."""
    return launch.has_begun(store, of_judge(sheet_id, grader_id))


def command(db: str, argument: str, sheet: str, options: Options) -> list[str]:
    """The command line that does the same."""
    given = {
        "sheet": sheet,
        "model": options.model,
        "base-url": options.base_url,
        "rubric": options.rubric,
        "concurrency": options.concurrency,
        "repeat": options.repeats,
        "limit": options.limit,
        "budget": options.budget,
        "measures": ",".join(options.measures) or None,
    }
    flags = ("retry-unscored", "batch", "cancel-batch")
    chosen = [flag for flag in flags if getattr(options, flag.replace("-", "_"))]
    return launch.command(db, "judge", given, [*chosen, "yes"], launch.argument(argument))
