"""The command `gold`."""

from concord.commands import options
from concord.commands.frame import BY, say, say_documents, verb


@verb
@options.set_name
@options.flag("--training", "The training round instead of the queues' items.")
@options.text("--blank", options.COUNT, "Print a CSV file to fill in, with N answers.")
@options.text("--add", "file", "FILE", "Add answers with their agreed scores.")
@options.text("--take-out", "out", "ITEM", "Remove.")
def gold(store, sheet_name, name, training, blank, file, out):
    """Report each annotator's accuracy on gold items, or on the training round.

    Only leads may see this. Gold items are answers to questions in the few-shot pool, and count in
    no figure. They are mixed into the queues of a set; those of the training round come first, and
    their agreed scores are shown after each.
    """
    from concord.grading import gold_items, grading_sets
    from concord.importing.readers.formats import open_table
    from concord.reports.reliability import gold_results
    from concord.store import sheets

    found = grading_sets.named(store, sheets.chosen(store, sheet_name).id, name)
    purpose = gold_items.TRAINING_ITEMS if training else gold_items.GOLD
    if blank:
        text = gold_items.template(store, found, purpose, blank)
        return say({"file": text}, text.rstrip())
    if file:
        purpose.add(store, found, gold_items.read(store, found, open_table(file)), BY)
    if out:
        purpose.take_out(store, found, gold_items.named(store, found, out), BY)
    if training:
        result = gold_results.training_results(store, found)
        return say_documents(result, gold_results.training_document(result))
    result = gold_results.gold_results(store, found)
    return say_documents(result, gold_results.gold_document(result))
