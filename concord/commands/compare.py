"""The command `compare`."""

from pathlib import Path

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
@click.option("--study", metavar="NAME", help="agreement, examples, scales, transfer or reading.")
@options.pool
@click.option(
    "--write",
    "path",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Write the judge with the rule chosen on the pool to this new judge file.",
)
@options.rubric
@options.annotators
@options.as_json
def compare(store, sheet_name, judges, against, criterion, study, pool, path, **options):
    """Compare prompts, scales and settings on the same answers.

    --rubric names the rubric annotators graded under; judges may have graded under any. Scores are
    mapped to 0-1. Without --judge every judge of the sheet is compared. --study runs one of the
    predefined comparisons instead. --study reading --pool chooses a reading rule on the few-shot
    pool, and --write FILE writes it into a judge file.
    """
    from concord.grading import sheet_progress
    from concord.reports.comparison import compare_by_name, compare_document, studies
    from concord.reports.comparison.study import document

    sheet, json_out = sheet_of(store, sheet_name), options.pop("json_out")
    options["rubric"] = rubric_of(store, sheet, options["rubric"], of_answers=True)[1].name
    name_left_out(sheet_progress.not_included(store, sheet.id))
    asked = compare_by_name.ComparisonRequest(judges, against, criterion, **options)
    if (pool and study != studies.READING) or (path and not (pool and len(judges) == 1)):
        raise click.UsageError("Give --study reading --pool, and one --judge to --write FILE.")
    if study:
        of = judges, asked.reference, asked.rubric, asked.annotators, pool
        found = studies.run(store, sheet, study, *of)
        kept = [_write(store, studies.request(store, sheet, *of), criterion, path)] if path else []
        say_documents(found, json_out, document(found), *kept)
        return
    compared = compare_by_name.compare(store, sheet, asked)
    say_documents(compared, json_out, compare_document.document(compared))


def _write(store, asked, criterion, path):
    """Write the judge with the chosen rule to a file that is not there yet; say so."""
    from concord.commands.judges import write_judge
    from concord.messages import said
    from concord.reports.comparison.reading_choice import written_judge
    from concord.reports.document import Document

    store.must_lead()
    judge = written_judge(store, asked, criterion)
    write_judge(path, judge)
    return Document(said("{file} holds {judge}.", file=path, judge=judge.name))
