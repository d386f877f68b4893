"""The command `training`."""

import click

from concord.commands import options
from concord.commands.frame import verb
from concord.commands.gold import report


@verb
@options.set_name
@options.blank
@click.option("--agree", metavar="FILE", help="Import the agreed scores of training items.")
@click.option("--take-out", metavar="ITEM", help="Remove an answer from the training round.")
@options.as_json
def training(store, sheet_name, name, blank, agree, take_out, json_out):
    """Report the training round of a grading set.

    Training items are answers to questions in the few-shot pool (examples), and count in no figure.
    """
    from concord.grading import training_round
    from concord.reports.reliability import training_results

    steps = (training_round.agree, training_round.take_out, training_results)
    report(store, sheet_name, name, blank, agree, take_out, json_out, *steps)
