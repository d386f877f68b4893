"""The verb `measures`."""

import click

from verbs.frame import as_json, say, verb


@verb
@click.option(
    "--switch",
    "said",
    multiple=True,
    metavar="MEASURE.SWITCH=CHOICE",
    help="Another reading, from stored verdicts; may be repeated.",
)
@as_json
def measures(store, sheet_name, said, json_out):
    """List the measures; with --sheet, what each gave there."""
    import metrics
    from data import sheets
    from problems import Problem
    from reports import measured, other_reading
    from reports import measures as report

    if said and not sheet_name:
        raise Problem("--switch says how the numbers of a sheet are read. Name it with --sheet.")
    if not sheet_name:
        known = list(metrics.found().values())
        say({"measures": report.listed(known)}, json_out, report.list_text(known))
        return
    switches = other_reading.parse(said)
    found = measured.read(store, sheets.chosen(store, sheet_name))
    found = other_reading.under(store, found, switches) if switches else found
    say({"rows": report.rows(found)}, json_out, report.text(found))
