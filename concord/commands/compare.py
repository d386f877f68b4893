"""The command `compare`."""

import click

from concord.commands import options
from concord.commands.frame import name_left_out, rubric_of, say_documents, sheet_of, verb


@verb
@click.option(
    "--judge", "judges", multiple=True, metavar="NAME", help="A judge to compare; repeatable."
)
@click.option("--against", metavar="NAME", help="The variant to compare the others with.")
@click.option("--criterion", metavar="C", help="A criterion, or composite.")
@options.reference
@click.option("--study", metavar="NAME", help="agreement, examples, scales or transfer.")
@options.rubric
@options.annotators
@options.as_json
def compare(store, sheet_name, judges, against, criterion, study, json_out, **options):
    """Compare prompts, scales and settings on the same answers.

    --rubric names the rubric annotators graded under; judges may have graded under any. Scores are
    mapped to 0-1. Without --judge every judge of the sheet is compared. --study picks the judges
    that answer a question of a published study.
    """
    from concord.grading import sheet_progress
    from concord.reports.comparison import compare as comparison
    from concord.reports.comparison import compare_document

    sheet = sheet_of(store, sheet_name)
    options["rubric"] = rubric_of(store, sheet, options["rubric"], of_answers=True)[1].name
    name_left_out(sheet_progress.not_included(store, sheet.id))
    asked = comparison.ComparisonRequest(judges, against, criterion, **options, study=study)
    compared = comparison.compare(store, sheet, asked)
    say_documents(compared, json_out, compare_document.document(compared))
