"""The command `ranking`."""

import click

from concord.commands.frame import as_json, panel_of, people_option, rubric_option, say, verb


@verb
@click.option(
    "--correct",
    "how",
    type=click.Choice(["draw", "rates", "matrix"]),
    default="draw",
    help="How to correct a judge's bias: by a graded sample, error rates, or the confusion matrix.",
)
@rubric_option
@people_option
@as_json
def ranking(store, sheet_name, how, rubric, people, json_out):
    """Rank the answering models by annotators and by each judge.

    Models are ranked by the weighted composite. Judges' figures are also shown with their bias
    corrected, if annotators graded a random sample drawn by Concord; --correct selects another
    method.
    """
    from concord.reports.panel import terminal_tables
    from concord.reports.panel.sampling_weights import drawn
    from concord.reports.ranking import corrected, corrected_findings
    from concord.reports.ranking import ranking as report

    panel = panel_of(store, sheet_name, rubric, people, "The ranking is")
    found = report.report(panel)
    found["criteria"] = report.by_criterion(panel)
    found["corrected"] = corrected.report(panel, drawn(store, panel), how)
    parts = (terminal_tables.ranking(found), corrected_findings.text(found["corrected"]))
    say(found, json_out, "\n\n".join(part for part in parts if part))
