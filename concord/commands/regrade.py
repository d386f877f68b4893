"""The command `regrade`."""

from concord.commands import options
from concord.commands.frame import BY, rubric_of, say_documents, verb
from concord.messages import Problem


@verb
@options.rubric
@options.text("--criterion", "NAME", "Reworded.", required=True)
@options.flag("--ask", "Ask for these grades again.")
def regrade(store, sheet_name, rubric, criterion, ask):
    """Request grades again after a criterion was reworded.

    Then compare old and new grades.
    """
    from concord.reports.workflow import regrade as report
    from concord.store import sheets
    from concord.store.rubrics import rubric_versions

    if rubric:
        chosen = rubric_versions.argument(store, rubric)[1]
    else:
        _, chosen = rubric_of(store, sheets.chosen(store, sheet_name), rubric)
    if criterion not in chosen.versions():
        raise Problem("{name} has no criterion {c}. Take another.", name=chosen.name, c=criterion)
    only = sheets.chosen(store, sheet_name) if sheet_name else None
    asked = report.ask(store, chosen, criterion, BY, only) if ask else []
    found = report.regrading(store, chosen, criterion, asked, only)
    say_documents(found, report.document(found))
