"""Session: one judge for measures, from its file to the end of its run."""

from collections.abc import Callable

from data import answer_names, clock, runs, sheets
from data.counted import counted
from data.store import Store
from judges import place
from judges.measuring.chosen import Choice
from judges.measuring.estimate import MeasureEstimate, estimate, rehearsal_of
from judges.measuring.job import Lack, MeasureJob
from judges.measuring.job import prepare as prepared
from judges.measuring.run import grader_id, run
from judges.model import Judge
from judges.progress import Counts, usd
from judges.session import Options, Outcome, check_budget
from words.said import joined, said

NAMED = 5  # items that lack something are named, so many of them


def prepare(store: Store, judge: Judge, choice: Choice, options: Options) -> MeasureJob:
    """The job of a judge for measures; `judge` has the overrides applied."""
    sheet = sheets.chosen(store, options.sheet_name)
    more = options.repeats, options.limit, options.retry_unscored
    return prepared(store, judge, choice, sheet, *more)


def carry_out(
    store: Store,
    job: MeasureJob,
    options: Options,
    confirm: Callable[[str], bool],
    progress: Callable[[str], None] = lambda sentence: None,
) -> Outcome:
    """Do a job that is prepared: estimate, ask about money, run; free runs never ask."""
    expected = estimate(store, job)
    check_budget(options.budget, expected)
    warning = job.judge.retirement(clock.today())
    told = " ".join([expected.sentence(), *basis(job), *lines(store, job)])
    said = f"{warning} {told}" if warning else told
    if options.only_estimate:
        return _outcome(job, "estimated", said, expected, Counts())
    if not (options.yes or expected.is_free()) and not confirm(f"{job.judge.name}: {said}"):
        return _outcome(job, "declined", "Nothing was asked.", expected, Counts())
    running = _running(store, job) if options.budget is not None else None
    if running is not None:
        runs.set_budget(store, running, options.budget)
        said = f"It is at work; its budget is now {usd(options.budget)}."
        return _outcome(job, "running", said, expected, Counts())
    ended = run(
        store,
        job,
        _client,
        options.budget,
        options.concurrency,
        lambda counts: progress(f"{job.judge.name}: {counts.sentence()}"),
    )
    stopped = f"Stopped. {ended.why} " if ended.status == "stopped" else ""
    said = " ".join([f"{stopped}{ended.counts.outcome()}", *lines(store, job)])
    return _outcome(job, ended.status, said, expected, ended.counts)


def lines(
    store: Store, job: MeasureJob, called: Callable[[str], str] = lambda name: name
) -> list[str]:
    """What items lack and which measures are left out, each in a sentence.

    `called` gives what a measure goes by where this is read.
    """
    names = answer_names.of_sheet(store, job.sheet.id) if job.lacks else {}
    lacking = [_lacking(lack, [names[id_] for id_ in lack.item_ids], called) for lack in job.lacks]
    reasons: dict[str, list[str]] = {}
    for name, why in job.left_out.items():
        reasons.setdefault(why, []).append(called(name))
    out = [
        said("Left out are {measures}: {why}.", measures=joined(", ", names), why=why)
        for why, names in reasons.items()
    ]
    return lacking + out


def basis(job: MeasureJob) -> list[str]:
    """How answers are counted and what the estimate rests on, where that is not plain."""
    part, whole = len(rehearsal_of(job)), len(job.pending)
    told = []
    if job.repeats > 1:
        told = [said("An answer counts {n} times: once for each repeat.", n=job.repeats)]
    if part < whole:
        told.append(said("Estimated from {part:,} of {whole:,} answers.", part=part, whole=whole))
    return told


def _lacking(lack: Lack, names: list[str], called: Callable[[str], str]) -> str:
    rest = len(names) - NAMED
    listed = ", ".join(names[:NAMED])
    if rest > 0:
        listed = said("{names}, and {n:,} more", names=listed, n=rest)
    return said(
        "{answers} has {what} (for {measures}): {names}."
        if len(names) == 1
        else "{answers} have {what} (for {measures}): {names}.",
        answers=counted(len(names), "answer"),
        what=lack.what,
        measures=joined(", ", map(called, lack.measures)),
        names=listed,
    )


def _client(judge: Judge):
    from judges.client import Client  # the openai package takes half a second to import

    return Client(judge)


def _running(store: Store, job: MeasureJob) -> int | None:
    """The run of this judge over this sheet that is going on; None where there is none."""
    at = place.of_judge(job.sheet.id, grader_id(store, job))
    return at.newest(store)["id"] if place.is_running(store, at) else None


def _outcome(
    job: MeasureJob, status: str, said: str, expected: MeasureEstimate, counts: Counts
) -> Outcome:
    failed = counts.statuses["failed"] > 0
    return Outcome(job.judge.name, status, said, failed, expected.as_json(), counts.as_dict())
