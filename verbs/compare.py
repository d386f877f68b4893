"""The verb `compare`."""

import click

from verbs.frame import as_json, people_option, rubric_option, say, sheet_of, verb


@verb
@click.option("--judge", "judges", multiple=True, metavar="NAME", help="Which; may be repeated.")
@click.option("--against", metavar="NAME", help="The variant the others are compared with.")
@click.option("--criterion", metavar="C", help="A criterion, or composite.")
@click.option("--reference", type=click.Choice(["each", "consensus"]), default="each")
@click.option("--study", metavar="NAME", help="agreement, examples, scales or transfer.")
@rubric_option
@people_option
@as_json
def compare(store, sheet_name, judges, against, criterion, study, **options):
    """Lay prompts, scales and settings side by side on the same answers.

    --rubric says under which rubric people graded; judges may have graded under any other. Scores
    are mapped to 0 to 1. Without --judge every judge of the sheet is compared. --study answers one
    question about judges instead.
    """
    from reports import comparing
    from reports.compare_table import text

    sheet, json_out = sheet_of(store, sheet_name), options.pop("json_out")
    asked = comparing.Asked(judges, against, criterion, **options)
    if study:
        found = comparing.study(store, sheet, study, asked)
        say({**found.as_json(), "synthetic": sheet.synthetic}, json_out, found.text())
        return
    compared = comparing.compare(store, sheet, asked)
    say(compared, json_out, "" if json_out else text(compared))
