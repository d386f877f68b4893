"""The command `compare`."""

import click

from concord.commands import options
from concord.commands.frame import say_documents, sheet_of, verb


@verb
@click.option(
    "--judge", "judges", multiple=True, metavar="NAME", help="A judge to compare; repeatable."
)
@click.option("--against", metavar="NAME", help="The variant to compare the others with.")
@click.option("--criterion", metavar="C", help="A criterion, or composite.")
@options.reference
@click.option("--study", metavar="NAME", help="agreement, examples, scales, transfer or reading.")
@options.rubric
@options.annotators
@options.as_json
def compare(store, sheet_name, judges, against, criterion, study, **options):
    """Compare prompts, scales and settings on the same answers.

    --rubric names the rubric annotators graded under; judges may have graded under any. Scores are
    mapped to 0-1. Without --judge every judge of the sheet is compared. --study runs one of the
    predefined comparisons instead.
    """
    from concord.reports.comparison import compare_by_name, compare_document, studies
    from concord.reports.comparison.study import document

    sheet, json_out = sheet_of(store, sheet_name), options.pop("json_out")
    asked = compare_by_name.ComparisonRequest(judges, against, criterion, **options)
    if study:
        rubric = compare_by_name.rubric_name(store, asked)
        found = studies.run(store, sheet, study, judges, asked.reference, rubric, asked.annotators)
        say_documents(found, json_out, document(found))
        return
    compared = compare_by_name.compare(store, sheet, asked)
    say_documents(compared, json_out, compare_document.document(compared))
