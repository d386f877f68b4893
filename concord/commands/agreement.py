"""The command `agreement`."""

from concord.commands import options
from concord.commands.frame import is_json, panel_of, say_documents, verb


@verb
@options.rubric
@options.reference
@options.by_column
@options.annotators
@options.flag("--all", "everything", "Print the probabilities, bias tests and reliability too.")
@options.html
def agreement(store, sheet_name, rubric, reference, by, annotators, everything, html):
    """Report the agreement of each judge with the annotators.

    --json always contains every statistic.
    """
    from dataclasses import replace

    from concord.reports import segments
    from concord.reports.agreement import agreement as report
    from concord.reports.agreement.document import document

    panel = panel_of(store, sheet_name, rubric, annotators)
    by_model = by == "answer_model"
    column = segments.compared(store, panel.sheet, by) if by else None
    if is_json() or everything:
        found = report.whole(store, panel, reference, by_model)
    else:
        found = report.with_alerts(store, panel, report.report(panel, reference, by_model))
    if html:
        write_page(store, panel, found, html)
    parts = [document(found, panel.rubric)]
    if column:
        found = replace(found, segments=segments.agreement(panel, column, reference))
        every = segments.STATISTICS if everything else ("exact",)
        parts.insert(0, segments.agreement_document(found.segments, panel.rubric, every))
    say_documents(found, *parts)


def write_page(store, panel, found, file, facts=()):
    """Write the page of the best judge, with further facts."""
    from concord.exporting.exported_tables import write
    from concord.messages import Problem
    from concord.reports.agreement.agreement import of_headline
    from concord.reports.agreement.document import NO_JUDGE, page

    row = of_headline(found.rows, panel.rubric)
    if row is None:
        raise Problem(NO_JUDGE)
    rows = [one for one in found.rows if one.criterion == row.criterion and not one.answer_model]
    write(file, page(store, panel, rows, row, found.alerts, found.without_alerts, facts))
