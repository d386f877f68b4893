"""The verb `people`."""

import click

from verbs.frame import as_json, panel_of, people_option, rubric_option, say, verb


@verb
@click.option(
    "--criterion", "criteria", multiple=True, metavar="C", help="Only these; all without."
)
@click.option(
    "--most",
    type=click.IntRange(0),
    default=10,
    show_default=True,
    help="How many of the answers that split people are listed for each criterion.",
)
@click.option("--zone", metavar="ZONE", help="Whose days and hours, as in Asia/Tokyo; UTC.")
@click.option("--graders", is_flag=True, help="Print how each person graded throughout, too.")
@rubric_option
@people_option
@as_json
def people(store, sheet_name, criteria, most, zone, graders, rubric, people, json_out):
    """Say how far people agree, who is stricter, and whether to add a second annotator.

    --json always holds everything.
    """
    from problems import Problem
    from reports import moments, people_words
    from reports import people as report

    panel = panel_of(store, sheet_name, rubric, people, "How people agree is")
    known = [criterion.name for criterion in panel.rubric.criteria]
    for name in criteria:
        if name not in known:
            raise Problem(f"There is no criterion {name}. There are: {', '.join(known)}.")
    found = report.document(store, panel, moments.zone(zone), most, criteria)
    say(found, json_out, "" if json_out else people_words.text(found, panel.rubric, graders))
