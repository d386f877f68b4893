"""The command `export`."""

from pathlib import Path

import click

from concord.commands import options
from concord.commands.frame import say, verb


@verb
@click.argument("folder", metavar="DIR")
@options.flag("--all", "every", "Export every table, also as Parquet, and reports as JSON.")
def export(store, sheet_name, folder, every):
    """Export answers, grades and agreement as CSV, and rubrics as TOML.

    --all adds what `verify` recomputes from, and every sheet in the format of RAGAS in the folder
    `ragas`. --sheet restricts the export to one sheet. In CSV, text that a spreadsheet would run as
    a formula is prefixed with an apostrophe.
    """
    from concord.exporting import exported_tables, ragas
    from concord.reports import export as report
    from concord.store import sheets

    with exported_tables.reading_all(store):
        only = sheets.chosen(store, sheet_name) if sheet_name else None
        files = exported_tables.export(store, folder, only, every)
        if every:
            files += ragas.write(store, Path(folder) / "ragas", only)
        chosen = [only] if only else sheets.all_sheets(store)
        files += report.write(store, Path(folder), chosen, every)
    say({"files": [str(file) for file in files]}, f"{folder}: {len(files)}")
