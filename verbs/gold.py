"""The verb `gold`."""

import click

from verbs.frame import BY, as_json, say, verb


@verb
@click.argument("name", metavar="SET")
@click.option("--blank", type=click.IntRange(1), metavar="N", help="Print a file to fill in.")
@click.option("--mix-in", metavar="FILE", help="Mix answers with these known scores into queues.")
@click.option("--take-out", metavar="ITEM", help="Mix an answer into no more queues.")
@as_json
def gold(store, sheet_name, name, blank, mix_in, take_out, json_out):
    """Say how each person graded the answers with known scores; for whoever leads.

    They are answers to questions with the role examples, and in no figure.
    """
    from data import gold as stored
    from data import grading_sets, known_answers, known_file, sheets
    from reports import gold as report

    found = grading_sets.named(store, sheets.chosen(store, sheet_name).id, name)
    if blank:
        file = known_file.template(store, found, blank)
        return say({"file": file}, json_out, file.rstrip())
    if mix_in:
        stored.mix_in(store, found, known_file.read(store, found, mix_in), BY)
    if take_out:
        stored.take_out(store, found, known_answers.named(store, found, take_out), BY)
    document = report.document(store, found)
    return say(document, json_out, report.text(document))
