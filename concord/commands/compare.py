"""The command `compare`."""

from concord.commands import options
from concord.commands.frame import name_left_out, rubric_of, say_documents, sheet_of, verb


@verb
@options.many("--judge", "judges", "NAME", "Judge.")
@options.text("--against", "NAME", "Reference.")
@options.only_criterion
@options.reference
@options.text("--study", "NAME", "agreement, examples, scales or transfer.")
@options.rubric
@options.annotators
def compare(store, sheet_name, judges, against, criterion, study, **options):
    """Compare prompts, scales and settings on the same answers.

    --rubric names the rubric annotators graded under; judges may have graded under any. Scores are
    mapped to 0-1. Without --judge every judge of the sheet is compared; of two, the first is what
    was before, and the answers that changed are counted. --study picks the judges that answer a
    question of a published study.
    """
    from concord.grading import sheet_progress
    from concord.reports import comparison

    sheet = sheet_of(store, sheet_name)
    options["rubric"] = rubric_of(store, sheet, options["rubric"], of_answers=True)[1].name
    name_left_out(sheet_progress.not_included(store, sheet.id))
    named = store, sheet, judges, against, criterion
    compared = comparison.compare(*named, **options, study=study)
    say_documents(compared, comparison.document(compared))
