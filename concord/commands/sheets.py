"""The command `sheets`."""

import click

from concord.commands.frame import as_json, confirm, say, verb, yes_option


@verb
@click.option("--delete", "gone", metavar="NAME", help="Delete a sheet with all its grades.")
@yes_option
@as_json
def sheets(store, sheet_name, gone, yes, json_out):
    """List the sheets, or delete one."""
    from concord.reports import lists
    from concord.store import sheets as stored

    if gone:
        sheet = stored.chosen(store, gone)
        going = stored.would_go(store, sheet)
        said = ", ".join(f"{count:,} {noun}" for noun, count in going.items())
        if not (yes or confirm(f"Deleting “{gone}” takes along {said}.")):
            return say({"deleted": None}, json_out, "Nothing was deleted.")
        stored.delete(store, sheet)
        return say({"deleted": gone, "went": going}, json_out, f"“{gone}” is deleted: {said}.")
    found = [stored.chosen(store, sheet_name)] if sheet_name else stored.all_sheets(store)
    say({"sheets": [sheet._asdict() for sheet in found]}, json_out, lists.sheets(found))
