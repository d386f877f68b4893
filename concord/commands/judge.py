"""The command `judge`."""

import gc
import sys

import click

from concord.commands import options
from concord.commands.frame import confirm, progress_line, say_documents, verb


@verb
@options.judges
@options.new_model
@options.new_base_url
@options.rubric
@options.concurrency
@options.repeats
@options.first_answers
@options.budget
@options.estimate
@options.yes
@options.retry_unscored
@options.flag("--batch", "Submit a batch at half the price; repeat to collect it.")
@options.flag("--cancel-batch", "Cancel a batch and collect what was answered.")
@options.metrics("Only these metrics, for a metric judge.")
@options.text(
    "--scheduler",
    "ADDRESS",
    "Send the requests from a Dask cluster: its address, or the number of processes here.",
)
@click.option(
    "--folder", type=click.Path(), help="With --scheduler: a folder that all workers share."
)
@options.as_json
def judge(store, names, folder, json_out, **options):
    """Run judges on a sheet; repeat the command to resume."""
    from concord.judges.definition import registry
    from concord.judges.run.job import Options
    from concord.library.judging import run

    wanted = Options(**options)
    if wanted.scheduler and (wanted.budget or wanted.batch or wanted.cancel_batch):
        raise click.UsageError("A cluster has no budget and no batches. Leave them out.")
    for name in names:
        wanted.check(registry.named(store, name))
    progress = progress_line(json_out)
    if wanted.scheduler:
        done = [_on_cluster(store, name, wanted, folder, progress) for name in names]
    else:
        gc.freeze()  # what was imported lasts; it is not gone over again every thousand answers
        done = [run(store, name, wanted, confirm, progress) for name in names]
    result = {"runs": [outcome.as_json() for outcome in done]}
    say_documents(result, json_out, *map(_document, done))
    if any(outcome.failed for outcome in done):
        sys.exit(1)


def _on_cluster(store, name, wanted, folder, progress):
    """Run a judge on a Dask cluster, after confirmation of the price."""
    from concord.judges.run import cluster as distributed
    from concord.judges.run import judging as session
    from concord.judges.run.job import Outcome
    from concord.judges.run.progress import Counts

    job = session.prepare(store, name, wanted)
    expected = job.estimate(store)
    told = expected.sentence()
    if wanted.only_estimate:
        return Outcome(job.judge.name, "estimated", told, expected, Counts())
    if not (wanted.yes or expected.is_free() or confirm(f"{job.judge.name}: {told}")):
        return Outcome(job.judge.name, "declined", "Nothing was asked.", expected, Counts())
    with distributed.cluster(wanted.scheduler) as calls:
        ended = distributed.run(
            store,
            job,
            calls,
            folder or f"{store.path}-parts",
            wanted.concurrency,
            report=lambda counts: progress(f"{job.judge.name}: {counts.sentence()}"),
        )
    said = f"{ended.counts.sentence()}."
    return Outcome(job.judge.name, ended.status, said, expected, ended.counts)


def _document(outcome):
    """Return how a run ended; of a combined judge with its members."""
    from concord.reports.decision import combined_judge
    from concord.reports.workflow import runs

    if getattr(outcome, "combination", None):
        return combined_judge.of_outcome(outcome)
    return runs.document(outcome)
