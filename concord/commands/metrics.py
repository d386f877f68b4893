"""The command `metrics`."""

from concord.commands import options
from concord.commands.frame import name_left_out, progress_line, say_documents, verb


@verb
@options.many("--switch", "said", "METRIC.SWITCH=CHOICE", "Recompute a metric with another switch.")
@options.by_column
@options.text("--topic", "SEGMENT", "Compare the others with it.")
@options.text(
    "--cross-encoder",
    "place",
    "FOLDER_OR_NAME",
    "Score VERA's composite with it: a folder, or a name on a model hub.",
)
@options.text("--judge", "JUDGE", "The judge whose values the composite states, if several.")
@options.rubric
def metrics(store, sheet_name, said, by, topic, place, judge, rubric):
    """List the metrics; with --sheet, report their values."""
    from concord import metrics
    from concord.grading import sheet_progress
    from concord.messages import Problem
    from concord.reports import segments
    from concord.reports.document import Document
    from concord.reports.metrics import metric_records, vera_composite
    from concord.reports.metrics import metrics as report
    from concord.store import sheets
    from concord.store.rubrics import rubric_versions

    if (said or rubric or by or place) and not sheet_name:
        raise Problem("These options are about the values of a sheet. Name it: --sheet.")
    if not sheet_name:
        known = metrics.available().values()
        shown = Document("", tables=(report.list_table(known),))
        say_documents({"metrics": report.listed(known)}, shown)
        return
    switches = report.parse(said)
    sheet = sheets.chosen(store, sheet_name)
    name_left_out(sheet_progress.not_included(store, sheet.id))
    run = None
    if place:
        from concord.judges.transport import cross_encoder

        encoder = cross_encoder.load(place)
        run = vera_composite.encode(store, sheet, encoder, judge, progress_line())
    found = metric_records.read(store, sheet)
    found = report.under(store, found, switches) if switches else found
    named = rubric_versions.argument(store, rubric)[1].name if rubric else None
    whole = report.report(store, sheet, found, named)
    shown = [report.document(whole, found)]
    whole |= {"run": run} if run else {}
    if by:
        column = segments.compared(store, sheet, by)
        whole["segments"] = segments.metrics(found, column, topic)
        shown.insert(0, segments.metrics_document(whole["segments"]))
    if whole["vera"]["n"] or run:
        shown.append(vera_composite.document(whole["vera"]))
    say_documents(whole, *shown)
