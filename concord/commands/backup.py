"""The command `backup`."""

import click

from concord.commands import options
from concord.commands.frame import print_note, say, verb


@verb
@click.argument("file")
@options.as_json
def backup(store, sheet_name, file, json_out):
    """Copy the database to a new file, even while in use."""
    from concord.store import sheets

    if sheet_name and sheets.chosen(store, sheet_name):
        print_note("A backup holds every sheet.")
    store.backup(file)
    say({"file": file}, json_out, f"Copied to {file}")
