"""The command `backup`."""

import click

from concord.commands.frame import print_note, say, verb


@verb
@click.argument("file")
def backup(store, sheet_name, file):
    """Copy the database to a new file, even while in use."""
    from concord.store import sheets

    if sheet_name and sheets.chosen(store, sheet_name):
        print_note("A backup holds every sheet.")
    store.backup(file)
    say({"file": file}, f"Copied to {file}")
