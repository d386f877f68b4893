"""The command `backup`."""

import click

from concord.commands.frame import say, verb


@verb
@click.argument("file")
def backup(store, sheet_name, file):
    """Copy the database to a new file, even while in use."""
    store.backup(file)
    say({"file": file}, file)
