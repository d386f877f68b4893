"""The command `ranking`."""

import click

from concord.commands import options
from concord.commands.frame import panel_of, say_documents, verb


@verb
@options.text(
    "--correct",
    "how",
    click.Choice(["draw", "rates"]),
    "How to correct a judge's bias: by a graded sample, or by error rates.",
    default="draw",
)
@options.rubric
@options.annotators
def ranking(store, sheet_name, how, rubric, annotators):
    """Rank the answering models by annotators and by each judge.

    Models are ranked by the weighted composite. Judges' figures are also shown with their bias
    corrected.
    """
    from concord.reports import ranking as report
    from concord.reports.panel.panel import drawn

    panel = panel_of(store, sheet_name, rubric, annotators, of_answers=True)
    found = report.whole(panel, drawn(store, panel), how)
    documents = report.document(found), report.corrected_document(found["corrected"])
    say_documents(found, *documents)
