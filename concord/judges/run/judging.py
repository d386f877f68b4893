"""A judge named by a user, from its definition to the end of its run, batch or training."""

from collections.abc import Callable
from importlib import import_module

from concord.judges.definition import registry
from concord.judges.definition.model import Judge
from concord.judges.run import batch, rubric
from concord.judges.run.job import Job, JudgeJob, Options, Outcome
from concord.judges.run.lock import silent
from concord.judges.run.session import run
from concord.judges.transport.client import Client
from concord.messages import Problem, joined
from concord.store import sheets
from concord.store.database import Store
from concord.store.rubrics import rubric_versions

Confirm = Callable[[str], bool]
Progress = Callable[[str], None]


def prepare(store: Store, judge: Judge | str, options: Options) -> JudgeJob:
    """Return what a judge, or the one that the user named, has left to do; overrides applied.

    Raises:
        Problem: There is no such judge, sheet or rubric; or it sends no requests.
    """
    judge = registry.named(store, judge) if isinstance(judge, str) else judge
    judge = judge.with_overrides(options.model, options.base_url)
    sheet = sheets.chosen(store, options.sheet_name)
    more = {key: getattr(options, key) for key in ("repeats", "limit", "retry_unscored")}
    if judge.of_metrics:
        # With every metric, this takes longer to import than a short run of another judge.
        from concord.judges.run import metric

        choice = import_module("concord.metrics.selection").choice(judge, options.metrics)
        return metric.prepare(store, judge, choice, sheet, **more)
    if not judge.asks_rubric:
        raise Problem("{judge} sends no requests. Run it with `judge`.", judge=judge.name)
    rubric_id, found = rubric_versions.argument(store, options.rubric or judge.rubric)
    # A rubric that an import made has no meanings yet; a judge would have to guess its scores.
    found.check_meanings()
    return rubric.prepare(store, judge, rubric_id, found, sheet, **more)


def judge(
    store: Store, name: str, options: Options, confirm: Confirm, progress: Progress = silent
) -> Outcome:
    """Run a judge of any kind over a sheet; see `carry_out`."""
    store.must_lead()
    named = registry.named(store, name)
    if named.computed:
        of = named, options.rubric, options.sheet_name, options.only_estimate
        return import_module(named.computed).carry_out(store, *of)  # imports pandas
    return carry_out(store, prepare(store, named, options), options, confirm, progress)


def carry_out(
    store: Store, job: Job, options: Options, confirm: Confirm, progress: Progress = silent
) -> Outcome:
    """Estimate, ask for confirmation where it costs money, and run.

    `confirm` is never called for a free run; `progress` is given a sentence about every half
    second. As a batch, the first call hands over what is left and every later one asks for the
    results.
    """
    in_batch = (options.batch or options.cancel_batch) and not options.only_estimate
    # Open batches come first: what they answer must not be requested again.
    if in_batch and (collected := batch.collect(store, job, options.cancel_batch)):
        return collected
    expected = job.estimate(store)
    # Refused before anything is sent: with an unknown price no budget can be enforced.
    expected.check_budget(options.budget)
    about = joined(" ", [job.judge.retirement(), expected.sentence(options.batch), *job.remarks()])
    if options.only_estimate:
        return Outcome(job.name, "estimated", about, expected)
    # `--yes` skips only the confirmation; a free run has nothing to confirm, so scripts need no
    # flag.
    if not (options.yes or expected.is_free()) and not confirm(f"{job.name}: {about}"):
        return Outcome(job.name, "declined", "Nothing was asked.", expected)
    if options.batch:
        return batch.submit(store, job, options.budget, expected)
    connect = Client
    if options.scheduler:
        from concord.judges.run import cluster

        connect = cluster.connected(options.scheduler)
    ended = run(
        store,
        job,
        connect,
        options.budget,
        options.concurrency,
        lambda counts: progress(f"{job.name}: {counts.sentence()}"),
    )
    stopped = f"Stopped. {ended.why} " if ended.status == "stopped" else ""
    sentence = f"{stopped}{job.summary(ended.counts, expected)}"
    return Outcome(job.name, ended.status, sentence, expected, ended.counts)
