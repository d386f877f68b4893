"""The command `judge`."""

import gc
import sys

import click

from concord.commands.frame import (
    Renamed,
    as_json,
    confirm,
    lines,
    names_of,
    progress_line,
    rubric_option,
    say,
    verb,
    yes_option,
)


@verb
@click.argument("names", nargs=-1, required=True, metavar="NAME_OR_PATH...")
@click.option("--model", help="Use this model instead of the judge file's, as a new judge.")
@click.option("--base-url", help="Use this endpoint instead of the judge file's, as a new judge.")
@rubric_option
@click.option(
    "--concurrency",
    type=click.IntRange(1),
    default=16,
    show_default=True,
    help="Maximum number of requests in flight.",
)
@click.option(
    "--repeat",
    "repeats",
    type=click.IntRange(1),
    default=1,
    help="Replies per answer, including stored ones.",
)
@click.option("--limit", type=click.IntRange(1), help="Only the first N answers.")
@click.option(
    "--budget", type=click.FloatRange(0), metavar="USD", help="Stop before the cost exceeds this."
)
@click.option(
    "--estimate", "only_estimate", is_flag=True, help="Print calls, tokens and cost, and stop."
)
@yes_option
@click.option("--retry-unscored", is_flag=True, help="Repeat requests whose reply gave no score.")
@click.option(
    "--batch", is_flag=True, help="Submit a batch at half the price; repeat to collect it."
)
@click.option("--cancel-batch", is_flag=True, help="Cancel a batch and collect what was answered.")
@click.option(
    "--metrics",
    "--measures",
    "metrics",
    cls=Renamed,
    callback=names_of,
    metavar="A,B",
    help="Only these metrics, for a metric judge.",
)
@as_json
def judge(store, names, json_out, **options):
    """Run judges on a sheet; repeat the command to resume."""
    from concord.judges.definition import registry
    from concord.judges.running import unsupported_options
    from concord.judges.running.job import Options

    wanted = Options(**options)
    for name in names:
        unsupported_options.check(registry.named(store, name), wanted)
    done = [_run(store, name, wanted, progress_line(json_out)) for name in names]
    say({"runs": [outcome.as_json() for outcome in done]}, json_out, lines(done))
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
