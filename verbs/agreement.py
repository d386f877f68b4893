"""The verb `agreement`."""

import click

from verbs.frame import as_json, panel_of, people_option, rubric_option, say, verb


@verb
@rubric_option
@click.option("--reference", type=click.Choice(["each", "consensus"]), default="each")
@click.option("--by", type=click.Choice(["answer_model"]), help="Also by answering model.")
@people_option
@click.option("--all", "everything", is_flag=True, help="Print every statistic, probe and check.")
@as_json
def agreement(store, sheet_name, rubric, reference, by, people, everything, json_out):
    """Say how far each judge agrees with people.

    --json always holds everything.
    """
    from reports import agreement as report
    from reports import agreement_text, annotator_warnings, sentence, text

    panel = panel_of(store, sheet_name, rubric, people)
    if json_out or everything:
        found = report.whole(store, panel, reference, bool(by))
    else:
        found = report.report(panel, reference, bool(by))
    whole = [] if json_out else [row for row in found["rows"] if not row["answer_model"]]
    said = "\n".join(map(sentence.of_row, whole))
    if not said:
        return say(found, json_out, text.NO_JUDGE)
    parts = [text.agreement(found["rows"], panel.rubric), said]
    parts += [annotator_warnings.text(found["annotator_warnings"])]
    parts += [agreement_text.everything(found, panel.rubric)] if everything else []
    say(found, json_out, "\n\n".join(filter(None, parts)))
