"""The command `judge`."""

import gc
import sys

from concord.commands import options
from concord.commands.frame import confirm, progress_line, say_documents, verb


@verb
@options.judges
@options.model
@options.base_url
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
@options.metrics(options.ONLY)
@options.text("--scheduler", "ADDRESS", "Run on the Dask cluster there.")
def judge(store, names, **options):
    """Run judges on a sheet; repeat the command to resume."""
    from concord.judges.definition import registry
    from concord.judges.run.job import Options
    from concord.judges.run.judging import judge as run

    wanted = Options(**options)
    for name in names:
        wanted.check(registry.named(store, name))
    progress = progress_line()
    # What was imported lasts, and requests leave few cycles, so neither is gone over often.
    gc.freeze()
    gc.set_threshold(10_000)
    done = [run(store, name, wanted, confirm, progress) for name in names]
    from concord.reports.workflow import runs  # not before the first request

    result = {"runs": [outcome.as_json() for outcome in done]}
    say_documents(result, *map(runs.document, done))
    if any(outcome.failed for outcome in done):
        sys.exit(1)
