"""The verb `practice`."""

import click

from concord.commands.frame import BY, as_json, say, verb


@verb
@click.argument("name", metavar="SET")
@click.option("--blank", type=click.IntRange(1), metavar="N", help="Print a file to fill in.")
@click.option("--agree", metavar="FILE", help="Take the agreed scores of answers to practise.")
@click.option("--take-out", metavar="ITEM", help="Practise an answer no more.")
@as_json
def practice(store, sheet_name, name, blank, agree, take_out, json_out):
    """Say who has practised for a grading set and where they differ from what was agreed.

    Practice answers are answers to questions with the role examples, and count in nothing.
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
    document = training_results.document(store, found)
    return say(document, json_out, training_results.text(document))
