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
    from concord.library.judging import run

    wanted = Options(**options)
    for name in names:
        unsupported_options.check(registry.named(store, name), wanted)
    gc.freeze()  # what was imported lasts; it is not gone over again with every thousand answers
    done = [run(store, name, wanted, confirm, progress_line(json_out)) for name in names]
    result = {"runs": [outcome.as_json() for outcome in done]}
    say_documents(result, json_out, *map(_document, done))
    if any(outcome.failed for outcome in done):
        sys.exit(1)


def _document(outcome):
    """Return how a run ended; of a combined judge with its members."""
    from concord.judges.combined.run import CombinedOutcome
    from concord.reports.decision import combined_judge
    from concord.reports.workflow import run_tables

    if isinstance(outcome, CombinedOutcome):
        return combined_judge.of_outcome(outcome)
    return run_tables.document(outcome)
