"""The verb `export`."""

from pathlib import Path

import click

from verbs.frame import as_json, say, verb


@verb
@click.argument("folder", metavar="DIR")
@click.option("--raw", is_flag=True, help="Leave formulas in CSV as they are.")
@as_json
def export(store, sheet_name, folder, raw, json_out):
    """Write every table as CSV and Parquet, every rubric as TOML, and the report as JSON.

    Every sheet stands there in the form of RAGAS too, in the folder `ragas`. --sheet restricts it
    to what belongs to one sheet. In CSV an apostrophe stands before what a spreadsheet would run.
    """
    from data import export as tables
    from data import ragas, sheets
    from reports import export as report

    with tables.reading_all(store):
        only = sheets.chosen(store, sheet_name) if sheet_name else None
        files = tables.export(store, folder, only, raw)
        files += ragas.write(store, Path(folder) / "ragas", only)
        every = [only] if only else sheets.all_sheets(store)
        files += report.write(store, Path(folder), every, raw)
    say({"files": [str(file) for file in files]}, json_out, f"{len(files)} files in {folder}.")
