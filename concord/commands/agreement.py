"""The command `agreement`."""

import click

from concord.commands.frame import as_json, panel_of, people_option, rubric_option, say, verb


@verb
@rubric_option
@click.option("--reference", type=click.Choice(["each", "consensus"]), default="each")
@click.option("--by", type=click.Choice(["answer_model"]), help="Also report each answering model.")
@people_option
@click.option(
    "--all",
    "everything",
    is_flag=True,
    help="Print every statistic, bias test and skipped analysis.",
)
@as_json
def agreement(store, sheet_name, rubric, reference, by, people, everything, json_out):
    """Report the agreement of each judge with the annotators.

    --json always contains every statistic.
    """
    from concord.reports.agreement import agreement as report
    from concord.reports.agreement import agreement_text, findings
    from concord.reports.panel import terminal_tables
    from concord.reports.reliability import annotator_warnings

    panel = panel_of(store, sheet_name, rubric, people)
    if json_out or everything:
        found = report.whole(store, panel, reference, bool(by))
    else:
        found = report.report(panel, reference, bool(by))
    whole = [] if json_out else [row for row in found["rows"] if not row["answer_model"]]
    said = "\n".join(map(findings.of_row, whole))
    if not said:
        return say(found, json_out, terminal_tables.NO_JUDGE)
    parts = [terminal_tables.agreement(found["rows"], panel.rubric), said]
    parts += [annotator_warnings.text(found["annotator_warnings"])]
    parts += [agreement_text.everything(found, panel.rubric)] if everything else []
    say(found, json_out, "\n\n".join(filter(None, parts)))
