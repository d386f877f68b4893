"""The command `graders`."""

import click

from concord.commands.frame import as_json, confirm, say, verb, yes_option


@verb
@click.option("--rename", nargs=2, metavar="OLD NEW", help="Rename an annotator.")
@click.option(
    "--merge", nargs=2, metavar="FROM INTO", help="Assign one annotator's grades to another."
)
@click.option("--delete", "gone", metavar="NAME", help="Delete an annotator with all their grades.")
@yes_option
@as_json
def graders(store, sheet_name, rename, merge, gone, yes, json_out):
    """List annotators and judges; rename, merge or delete one."""
    from concord.reports import lists
    from concord.store import graders as stored

    if rename:
        stored.rename(store, stored.named(store, "person", rename[0]).id, rename[1])
    if merge:
        source, target = (stored.named(store, "person", name) for name in merge)
        stored.merge(store, source.id, target.id)
    if gone:
        grader = stored.named(store, "person", gone)
        if yes or confirm(f"Deleting {gone} takes all grades of theirs along."):
            stored.delete(store, grader.id)
    found = graded(store, sheet_name)
    say({"graders": found}, json_out, lists.graders(found))


def graded(store, sheet_name) -> list[dict]:
    """Return all graders, or those of a sheet, with counts."""
    from concord.store import graders as stored
    from concord.store import sheets

    sheet = sheets.chosen(store, sheet_name) if sheet_name else None
    return [dict(row) for row in stored.counted(store, sheet.id if sheet else None)]
