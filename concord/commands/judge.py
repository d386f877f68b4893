"""The command `judge`."""

import gc
import sys

import click

from concord.commands import options
from concord.commands.frame import confirm, progress_line, say_documents, verb


@verb
@click.argument("names", nargs=-1, required=True, metavar="NAME_OR_PATH...")
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
@click.option(
    "--batch", is_flag=True, help="Submit a batch at half the price; repeat to collect it."
)
@click.option("--cancel-batch", is_flag=True, help="Cancel a batch and collect what was answered.")
@options.metrics("Only these metrics, for a metric judge.")
@options.as_json
def judge(store, names, json_out, **options):
    """Run judges on a sheet; repeat the command to resume."""
    from concord.judges.definition import registry
    from concord.judges.running import unsupported_options
    from concord.judges.running.job import Options
    from concord.reports.workflow import run_tables

    wanted = Options(**options)
    for name in names:
        unsupported_options.check(registry.named(store, name), wanted)
    done = [_run(store, name, wanted, progress_line(json_out)) for name in names]
    result = {"runs": [outcome.as_json() for outcome in done]}
    say_documents(result, json_out, *map(run_tables.document, done))
    if any(outcome.failed for outcome in done):
        sys.exit(1)


def _run(store, name, options, progress):
    """Run one judge, by a rubric or for metrics."""
    from concord.judges.definition import registry
    from concord.judges.rubric_runs import session

    gc.freeze()  # what was imported lasts; it is not gone over again with every thousand answers
    found = registry.named(store, name)
    if found.kind != "metric":
        return session.judge(store, name, options, confirm, progress)
    from concord.judges.metric_runs.job import prepared
    from concord.judges.running import engine
    from concord.metrics.selection import choice

    judge = found.with_overrides(options.model, options.base_url)
    job = prepared(store, judge, choice(judge, options.metrics), options)
    return engine.carry_out(store, job, options, confirm, progress)
