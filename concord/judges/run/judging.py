"""A judge named by a user, from its definition to the end of its run, batch or training."""

import importlib
from dataclasses import replace

from concord.judges.definition import registry
from concord.judges.definition.model import Judge
from concord.judges.run import batch
from concord.judges.run import rubric as jobs
from concord.judges.run import session as engine
from concord.judges.run.estimate import Estimate
from concord.judges.run.job import ComputedOutcome, Options, Outcome
from concord.judges.run.progress import Counts
from concord.judges.run.rubric import RubricJob
from concord.judges.run.session import Confirm, Progress
from concord.messages import Problem, joined
from concord.store import sheets
from concord.store.database import Store
from concord.store.rubrics import rubric_versions


def prepare(store: Store, name_or_path: str, options: Options) -> RubricJob:
    """The job of a judge named by the user, overrides applied."""
    judge = registry.named(store, name_or_path).with_overrides(options.model, options.base_url)
    return prepared(store, judge, options)


def prepared(store: Store, judge: Judge, options: Options) -> RubricJob:
    """The job of a judge."""
    if not judge.asks_rubric:
        raise Problem(
            "{judge} sends no requests about a rubric. Run it with `judge`.", judge=judge.name
        )
    rubric_id, rubric = rubric_versions.argument(store, options.rubric or judge.rubric)
    # A rubric that an import made has no meanings yet; a judge would have to guess its scores.
    rubric.check_meanings()
    sheet = sheets.chosen(store, options.sheet_name)
    more = options.repeats, options.limit, options.retry_unscored
    return jobs.prepare(store, judge, rubric_id, rubric, sheet, *more)


def judge(
    store: Store,
    name_or_path: str,
    options: Options,
    confirm: Confirm,
    progress: Progress = lambda sentence: None,
) -> Outcome | ComputedOutcome:
    """Run a judge over a sheet."""
    store.must_lead()
    named = registry.named(store, name_or_path)
    if named.computed:
        # It imports pandas, which no other judge needs.
        run = importlib.import_module(named.computed)
        more = options.rubric, options.sheet_name, options.only_estimate
        return run.carry_out(store, named, *more)
    job = prepared(store, named.with_overrides(options.model, options.base_url), options)
    return carry_out(store, job, options, confirm, progress)


def carry_out(
    store: Store,
    job: RubricJob,
    options: Options,
    confirm: Confirm,
    progress: Progress = lambda sentence: None,
) -> Outcome:
    """Do a prepared job, as a run or as a batch.

    As a batch, the first call hands over what is left and every later one asks for the results.
    """
    if (options.batch or options.cancel_batch) and not options.only_estimate:
        # Open batches come first: what they answer must not be requested again.
        waiting = _collected(store, job, options)
        if waiting:
            return waiting

    def hand_over(expected: Estimate) -> Outcome:
        """Hand over what is left as a batch."""
        handed = batch.submit(store, job, options.budget)
        status = "submitted" if handed.questions else "done"
        return job.outcome(store, status, handed.sentence(), expected, handed.counts)

    submits = hand_over if options.batch else None
    return engine.carry_out(store, job, options, confirm, progress, submits)


def _collected(store: Store, job: RubricJob, options: Options) -> Outcome | None:
    """Collect the judge's open batches over the sheet; None without any.

    Includes batches that an earlier version of the judge left open.
    """
    cancel = options.cancel_batch
    waiting = batch.waiting(store, job.sheet, job.judge.name)
    if not waiting:
        if not cancel:
            return None
        expected = job.estimate(store)
        return job.outcome(store, "done", "There is no open batch.", expected, Counts())
    done = [batch.collect(store, job.sheet, who, cancel) for who in waiting]
    counts = max((one.counts for one in done), key=lambda c: c.total)
    expected = job.renewed(store).estimate(store)
    status = "pending" if any(one.pending for one in done) else "done"
    sentence = joined(" ", [one.sentence() for one in done])
    run = job.outcome(store, status, sentence, expected, counts)
    return replace(run, refused=any(one.refused for one in done))
