"""The command `spread`: the only module that imports Dask, which is installed apart."""

import sys
from contextlib import contextmanager

import click

from concord.commands import options
from concord.commands.frame import confirm, progress_line, say, say_documents, verb
from concord.messages import Problem
from concord.resources import install


@verb
@click.argument("name", metavar="NAME_OR_PATH")
@click.option(
    "--workers",
    type=click.IntRange(1),
    default=2,
    show_default=True,
    help="Number of local worker processes.",
)
@click.option("--scheduler", metavar="ADDRESS", help="Address of an existing Dask cluster.")
@click.option("--folder", type=click.Path(), help="A folder that all workers share.")
@options.new_model
@options.new_base_url
@options.rubric
@click.option(
    "--concurrency",
    type=click.IntRange(1),
    default=16,
    show_default=True,
    help="Maximum number of requests in flight per worker.",
)
@options.repeats
@options.first_answers
@click.option(
    "--part",
    "part_tasks",
    type=click.IntRange(1),
    default=500,
    show_default=True,
    help="Requests per Parquet file.",
)
@options.yes
@options.retry_unscored
@options.as_json
def spread(store, name, workers, scheduler, folder, part_tasks, yes, json_out, **options):
    """Run a judge on a Dask cluster.

    Prompts, parsing and statuses are those of judge. Without --scheduler, the cluster is --workers
    processes on this machine. Repeat the command to resume.
    """
    from concord.judges.distributed import spread as spreading
    from concord.judges.rubric_runs import session
    from concord.reports.document import Document
    from concord.reports.workflow import run_tables

    job = session.prepare(store, name, session.Options(**options))
    expected = job.estimate(store)
    said = f"{job.judge.name}: {expected.sentence()}"
    if not (yes or expected.is_free() or confirm(said)):
        say({"run": None}, json_out, "Nothing was asked.")
        return
    progress = progress_line(json_out)
    with cluster(workers, scheduler) as calls:
        ended = spreading.run(
            store,
            job,
            calls,
            folder or f"{store.path}-parts",
            options["concurrency"],
            part_tasks,
            lambda counts: progress(f"{job.judge.name}: {counts.sentence()}"),
        )
    document = {"judge": job.judge.name, "status": ended.status, "counts": ended.counts.as_dict()}
    headline = f"{job.judge.name}: {ended.counts.sentence()}."
    shown = Document(headline, tables=(run_tables.taken(ended.counts),))
    say_documents({"run": document}, json_out, shown)
    if ended.counts.statuses["failed"]:
        sys.exit(1)


@contextmanager
def cluster(workers, scheduler):
    """Return a function that runs calls on a cluster and yields indices as they end."""
    try:
        from distributed import Client, LocalCluster, as_completed
        from distributed.scheduler import KilledWorker
    except ImportError:
        raise Problem(
            f"Dask is not installed. Install it with `{install('dask')}`, or judge on this machine "
            "alone with `judge`."
        ) from None

    def calls(function, arguments):
        futures = [client.submit(function, *each, pure=False) for each in arguments]
        places = {future.key: place for place, future in enumerate(futures)}
        for future in as_completed(futures):
            try:
                future.result()
            except KilledWorker:
                raise Problem(
                    "Workers died repeatedly on the same part. See their logs, then repeat the "
                    "command to resume."
                ) from None
            yield places[future.key]

    local = {"n_workers": workers, "threads_per_worker": 1, "dashboard_address": None}
    if scheduler:
        with Client(scheduler) as client:
            yield calls
        return
    with LocalCluster(host="127.0.0.1", **local) as cluster, Client(cluster) as client:
        yield calls
