"""The command `gold`."""

import click

from concord.commands import options
from concord.commands.frame import BY, say, say_documents, verb


@verb
@options.set_name
@options.blank
@options.blank_items
@click.option("--mix-in", metavar="FILE", help="Add answers with known scores to the queues.")
@click.option("--take-out", metavar="ITEM", help="Stop adding this answer to queues.")
@options.as_json
def gold(store, sheet_name, name, blank, item, mix_in, take_out, json_out):
    """Report each annotator's accuracy on gold items.

    Only leads may see this. Gold items are answers to questions in the few-shot pool,
    and count in no figure.
    """
    from concord.grading.gold_items import GOLD
    from concord.reports.reliability import gold_results

    asked = blank, item, mix_in, take_out
    report(store, sheet_name, name, *asked, json_out, GOLD, gold_results)


def report(store, sheet_name, name, blank, own_ids, file, out, json_out, purpose, results):
    """Print a file to fill in; or add and remove gold or training items, and print the results."""
    from concord.grading import gold_answers, gold_file, grading_sets
    from concord.importing.readers.formats import open_table
    from concord.store import sheets

    found = grading_sets.named(store, sheets.chosen(store, sheet_name).id, name)
    if blank or own_ids:
        text = gold_file.template(store, found, purpose, blank, own_ids)
        return say({"file": text}, json_out, text.rstrip())
    if file:
        read = gold_file.read(store, found, open_table(file), purpose)
        purpose.add(store, found, read.taken(), BY)
    if out:
        purpose.take_out(store, found, gold_answers.named(store, found, out), BY)
    result = results.results(store, found)
    return say_documents(result, json_out, results.document(result))
