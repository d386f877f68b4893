"""The command `training`."""

import click

from concord.commands.frame import as_json, verb
from concord.commands.gold import report


@verb
@click.argument("name", metavar="SET")
@click.option(
    "--blank",
    type=click.IntRange(1),
    metavar="N",
    help="Print a CSV file to fill in, with N answers.",
)
@click.option("--agree", metavar="FILE", help="Import the agreed scores of training items.")
@click.option("--take-out", metavar="ITEM", help="Remove an answer from the training round.")
@as_json
def training(store, sheet_name, name, blank, agree, take_out, json_out):
    """Report the training round of a grading set.

    Training items are answers to questions in the few-shot pool (examples), and count in no figure.
    """
    from concord.grading import training_round
    from concord.reports.reliability import training_results

    steps = (training_round.agree, training_round.take_out, training_results)
    report(store, sheet_name, name, blank, agree, take_out, json_out, *steps)
