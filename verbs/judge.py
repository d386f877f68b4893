"""The verb `judge`."""

import gc
import sys

import click

from verbs.frame import (
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
@click.option("--model", help="Another model than the judge file says: a new judge.")
@click.option("--base-url", help="Another endpoint than the judge file says: a new judge.")
@rubric_option
@click.option("--concurrency", type=click.IntRange(1), default=16, show_default=True)
@click.option("--repeat", "repeats", type=click.IntRange(1), default=1, help="Replies in all.")
@click.option("--limit", type=click.IntRange(1), help="Only the first so many answers.")
@click.option(
    "--budget", type=click.FloatRange(0), metavar="USD", help="Stop before this is spent."
)
@click.option("--estimate", "only_estimate", is_flag=True, help="Say what it would take and stop.")
@yes_option
@click.option("--retry-unscored", is_flag=True, help="Ask again where a reply gave no score.")
@click.option(
    "--batch", is_flag=True, help="Hand over as a batch at half the price; again: collect it."
)
@click.option("--cancel-batch", is_flag=True, help="End a batch; what was answered is collected.")
@click.option(
    "--measures", callback=names_of, metavar="A,B", help="Of a judge for measures: only these."
)
@as_json
def judge(store, names, json_out, **options):
    """Run judges over a sheet; repeating the command does only what is missing."""
    from judges import refused, roster
    from judges.session import Options

    wanted = Options(**options)
    for name in names:
        refused.check(roster.named(store, name), wanted)
    done = [_run(store, name, wanted, progress_line(json_out)) for name in names]
    say({"runs": [outcome.as_json() for outcome in done]}, json_out, lines(done))
    if any(outcome.failed for outcome in done):
        sys.exit(1)


def _run(store, name, options, progress):
    """Run one judge, by a rubric or for measures."""
    from judges import roster, session

    gc.freeze()  # what was imported lasts; it is not gone over again with every thousand answers
    found = roster.named(store, name)
    if found.kind != "metric":
        return session.judge(store, name, options, confirm, progress)
    from judges.measuring import session as measuring
    from metrics.frame.choosing import choice

    judge = found.with_overrides(options.model, options.base_url)
    job = measuring.prepare(store, judge, choice(judge, options.measures), options)
    return measuring.carry_out(store, job, options, confirm, progress)
