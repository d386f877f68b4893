"""The verb `backup`."""

import click

from verbs.frame import as_json, say, tell, verb


@verb
@click.argument("file")
@as_json
def backup(store, sheet_name, file, json_out):
    """Copy the whole database into a new file, also while others are at work."""
    from data import sheets

    if sheet_name and sheets.chosen(store, sheet_name):
        tell("A backup holds every sheet.")
    store.backup(file)
    say({"file": file}, json_out, f"The database is copied to {file}.")
