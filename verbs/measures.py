"""The verb `measures`."""

import click

from verbs.frame import as_json, rubric_option, say, verb


@verb
@click.option(
    "--switch",
    "said",
    multiple=True,
    metavar="MEASURE.SWITCH=CHOICE",
    help="Another reading, from stored verdicts; may be repeated.",
)
@rubric_option
@click.option("--markdown", is_flag=True, help="Print the page on measures, docs/measures.md.")
@as_json
def measures(store, sheet_name, said, rubric, markdown, json_out):
    """List the measures; with --sheet, what each gave there."""
    import metrics
    from data import rubric_versions, sheets
    from problems import Problem
    from reports import measured, measures_document, measures_page, other_reading
    from reports import measures as report

    if (said or rubric) and not sheet_name:
        raise Problem("--switch and --rubric are about the numbers of a sheet. Name it: --sheet.")
    if markdown:
        page = measures_page.page()
        say({"markdown": page}, json_out, page.removesuffix("\n"))
        return
    if not sheet_name:
        known = list(metrics.found().values())
        say({"measures": report.listed(known)}, json_out, report.list_text(known))
        return
    switches = other_reading.parse(said)
    sheet = sheets.chosen(store, sheet_name)
    found = measured.read(store, sheet)
    found = other_reading.under(store, found, switches) if switches else found
    named = rubric_versions.argument(store, rubric)[1].name if rubric else None
    whole = measures_document.document(store, sheet, found, named)
    say(whole, json_out, measures_document.text(found, whole))
