"""The verb `ranking`."""

import click

from verbs.frame import as_json, panel_of, people_option, rubric_option, say, verb


@verb
@click.option(
    "--correct",
    "how",
    type=click.Choice(["draw", "rates", "matrix"]),
    default="draw",
    help="How a judge's bias is taken out: by a drawn set, error rates, or the confusion matrix.",
)
@rubric_option
@people_option
@as_json
def ranking(store, sheet_name, how, rubric, people, json_out):
    """Rank the answering models by the weighted composite, by people and by each judge.

    Beside each judge's own figures stand those without its bias, where people graded a set that
    Concord drew; `--correct` asks for another way.
    """
    from reports import corrected, corrected_words, text
    from reports import ranking as report
    from reports.drawn import drawn

    panel = panel_of(store, sheet_name, rubric, people, "The ranking is")
    found = report.report(panel)
    found["criteria"] = report.by_criterion(panel)
    found["corrected"] = corrected.report(panel, drawn(store, panel), how)
    parts = (text.ranking(found), corrected_words.text(found["corrected"]))
    say(found, json_out, "\n\n".join(part for part in parts if part))
