"""The command `metrics`."""

import click

from concord.commands import options
from concord.commands.frame import name_left_out, say, say_documents, verb


@verb
@click.option(
    "--switch",
    "said",
    multiple=True,
    metavar="METRIC.SWITCH=CHOICE",
    help="Recompute a metric with another switch, from stored verdicts; repeatable.",
)
@options.rubric
@click.option("--markdown", is_flag=True, help="Print the reference of every metric.")
@options.as_json
def metrics(store, sheet_name, said, rubric, markdown, json_out):
    """List the metrics; with --sheet, report their values."""
    from concord import metrics
    from concord.grading import sheet_progress
    from concord.messages import Problem
    from concord.reports.document import Document
    from concord.reports.metrics import (
        metric_records,
        metric_variants,
        metrics_page,
        sheet_metrics,
    )
    from concord.reports.metrics import metrics as report
    from concord.store import sheets
    from concord.store.rubrics import rubric_versions

    if (said or rubric) and not sheet_name:
        raise Problem("--switch and --rubric are about the numbers of a sheet. Name it: --sheet.")
    if markdown:
        page = metrics_page.page()
        say({"markdown": page}, json_out, page.removesuffix("\n"))
        return
    if not sheet_name:
        known = report.listed(metrics.available().values())
        say_documents(known, json_out, Document("", tables=(report.list_table(known),)))
        return
    switches = metric_variants.parse(said)
    sheet = sheets.chosen(store, sheet_name)
    name_left_out(sheet_progress.not_included(store, sheet.id))
    found = metric_records.read(store, sheet)
    found = metric_variants.under(store, found, switches) if switches else found
    named = rubric_versions.argument(store, rubric)[1].name if rubric else None
    whole = sheet_metrics.report(store, sheet, found, named)
    say_documents(whole, json_out, sheet_metrics.document(whole))
