"""The command `training`."""

import click

from concord.commands import options
from concord.commands.frame import verb
from concord.commands.gold import report


@verb
@options.set_name
@options.blank
@options.blank_items
@click.option("--agree", metavar="FILE", help="Import the agreed scores of training items.")
@click.option("--take-out", metavar="ITEM", help="Remove an answer from the training round.")
@options.as_json
def training(store, sheet_name, name, blank, item, agree, take_out, json_out):
    """Report the training round of a grading set.

    Training items are answers to questions in the few-shot pool, and count in no figure.
    """
    from concord.grading.training_round import TRAINING_ITEMS
    from concord.reports.reliability import training_results

    asked = blank, item, agree, take_out
    report(store, sheet_name, name, *asked, json_out, TRAINING_ITEMS, training_results)
