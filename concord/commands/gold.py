"""The command `gold`."""

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
@click.option("--mix-in", metavar="FILE", help="Add answers with known scores to the queues.")
@click.option("--take-out", metavar="ITEM", help="Stop adding this answer to queues.")
@as_json
def gold(store, sheet_name, name, blank, mix_in, take_out, json_out):
    """Report each annotator's accuracy on gold items.

    Only leads may see this. Gold items are answers to questions in the few-shot pool (examples),
    and count in no figure.
    """
    from concord.grading import gold_answers, gold_file, grading_sets
    from concord.grading import gold_items as stored
    from concord.reports.reliability import gold_results as report
    from concord.store import sheets

    found = grading_sets.named(store, sheets.chosen(store, sheet_name).id, name)
    if blank:
        file = gold_file.template(store, found, blank)
        return say({"file": file}, json_out, file.rstrip())
    if mix_in:
        stored.mix_in(store, found, gold_file.read(store, found, mix_in), BY)
    if take_out:
        stored.take_out(store, found, gold_answers.named(store, found, take_out), BY)
    results = report.results(store, found)
    return say_document(results, report.document(results), json_out)
