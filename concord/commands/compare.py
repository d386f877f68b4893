"""The command `compare`."""

import click

from concord.commands.frame import as_json, people_option, rubric_option, say, sheet_of, verb


@verb
@click.option(
    "--judge", "judges", multiple=True, metavar="NAME", help="A judge to compare; repeatable."
)
@click.option("--against", metavar="NAME", help="The variant to compare the others with.")
@click.option("--criterion", metavar="C", help="A criterion, or composite.")
@click.option("--reference", type=click.Choice(["each", "consensus"]), default="each")
@click.option("--study", metavar="NAME", help="agreement, examples, scales or transfer.")
@rubric_option
@people_option
@as_json
def compare(store, sheet_name, judges, against, criterion, study, **options):
    """Compare prompts, scales and settings on the same answers.

    --rubric is the rubric of the annotators' grades; judges may have graded under any other. Scores
    are mapped to 0 to 1. Without --judge, all judges of the sheet are compared. --study answers one
    question about judges instead.
    """
    from concord.reports.comparison import compare_by_name
    from concord.reports.comparison.compare_table import text

    sheet, json_out = sheet_of(store, sheet_name), options.pop("json_out")
    asked = compare_by_name.Asked(judges, against, criterion, **options)
    if study:
        found = compare_by_name.study(store, sheet, study, asked)
        say({**found.as_json(), "synthetic": sheet.synthetic}, json_out, found.text())
        return
    compared = compare_by_name.compare(store, sheet, asked)
    say(compared, json_out, "" if json_out else text(compared))
