"""The command `agreement`."""

import click

from concord.commands.frame import (
    annotators_option,
    as_json,
    panel_of,
    rubric_option,
    say_document,
    verb,
)


@verb
@rubric_option
@click.option("--reference", type=click.Choice(["each", "consensus"]), default="each")
@click.option("--by", type=click.Choice(["answer_model"]), help="Also report each answering model.")
@annotators_option
@click.option(
    "--all",
    "everything",
    is_flag=True,
    help="Print every statistic, bias test and skipped analysis.",
)
@as_json
def agreement(store, sheet_name, rubric, reference, by, annotators, everything, json_out):
    """Report the agreement of each judge with the annotators.

    --json always contains every statistic.
    """
    from concord.reports.agreement import agreement as report
    from concord.reports.agreement import whole_report
    from concord.reports.agreement.whole_document import document

    panel = panel_of(store, sheet_name, rubric, annotators)
    if json_out or everything:
        found = whole_report.whole(store, panel, reference, bool(by))
    else:
        found = report.report(panel, reference, bool(by))
    say_document(found, document(found, panel.rubric), json_out)
