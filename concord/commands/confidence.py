"""The command `confidence`."""

import click

from concord.commands import options
from concord.commands.frame import panel_of, say_documents, verb


@verb
@click.option("--judge", "name", metavar="J", help="Only this judge, as `graders` lists it.")
@options.criterion
@options.rubric
@options.reference
@options.annotators
@options.as_json
def confidence(store, sheet_name, name, criterion, rubric, reference, annotators, json_out):
    """Report the quality of the judges' probabilities.

    How often annotators agree where a judge is sure, the reliability diagram as a table, proper
    scores, calibration error, sharpness, and recalibration out of fold.
    """
    from concord.reports.panel.named_judge import judge_of
    from concord.reports.probabilities import confidence as report
    from concord.reports.probabilities.document import of_rows
    from concord.reports.probabilities.judge_probabilities import read

    panel = panel_of(store, sheet_name, rubric, annotators, of_answers=True)
    criterion = (panel.rubric.criterion(criterion) if criterion else panel.rubric.heaviest()).name
    rows = report.report(panel, read(store, panel, criterion), criterion, reference)
    if name:
        label = panel.labels[judge_of(store, panel, name).id]
        rows = tuple(row for row in rows if row.judge == label)
    say_documents({"rows": rows}, json_out, *of_rows(rows, criterion, panel.rubric))
