"""The command `practice`."""

import click

from concord.commands.frame import BY, as_json, say, say_document, verb


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
def practice(store, sheet_name, name, blank, agree, take_out, json_out):
    """Report the training round of a grading set.

    Training items are answers to questions in the few-shot pool (examples), and count in no figure.
    """
    from concord.grading import gold_answers, gold_file, grading_sets
    from concord.grading import training_round as stored
    from concord.reports.reliability import training_results
    from concord.store import sheets

    found = grading_sets.named(store, sheets.chosen(store, sheet_name).id, name)
    if blank:
        file = gold_file.template(store, found, blank)
        return say({"file": file}, json_out, file.rstrip())
    if agree:
        stored.agree(store, found, gold_file.read(store, found, agree), BY)
    if take_out:
        stored.take_out(store, found, gold_answers.named(store, found, take_out), BY)
    results = training_results.results(store, found)
    return say_document(results, training_results.document(results), json_out)
