"""The verb `measures`."""

from verbs.frame import as_json, say, verb


@verb
@as_json
def measures(store, sheet_name, json_out):
    """List the measures; with --sheet, what each gave there."""
    import metrics
    from data import sheets
    from reports import measured
    from reports import measures as report

    if sheet_name:
        found = measured.read(store, sheets.chosen(store, sheet_name))
        say({"rows": report.rows(found)}, json_out, report.text(found))
        return
    known = list(metrics.found().values())
    say({"measures": report.listed(known)}, json_out, report.list_text(known))
