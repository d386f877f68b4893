"""The verb `practice`."""

import click

from verbs.frame import BY, as_json, say, verb


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
    from data import grading_sets, known_answers, known_file, sheets
    from data import practice as stored
    from reports import practised

    found = grading_sets.named(store, sheets.chosen(store, sheet_name).id, name)
    if blank:
        file = known_file.template(store, found, blank)
        return say({"file": file}, json_out, file.rstrip())
    if agree:
        stored.agree(store, found, known_file.read(store, found, agree), BY)
    if take_out:
        stored.take_out(store, found, known_answers.named(store, found, take_out), BY)
    document = practised.document(store, found)
    return say(document, json_out, practised.text(document))
