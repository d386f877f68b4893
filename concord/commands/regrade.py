"""The command `regrade`."""

import click

from concord.commands.frame import BY, as_json, rubric_option, say, verb
from concord.problems import Problem


@verb
@rubric_option
@click.option("--criterion", metavar="NAME", required=True, help="The reworded criterion.")
@click.option(
    "--ask", is_flag=True, help="Put the outdated grades back into their annotators' queues."
)
@as_json
def regrade(store, sheet_name, rubric, criterion, ask, json_out):
    """Request grades again after a criterion was reworded.

    Then compare old and new grades.
    """
    from concord.grading import regrades
    from concord.importing import sheet_rubric
    from concord.reports import terminal
    from concord.reports.workflow import regrade as left
    from concord.reports.workflow import regrade_results
    from concord.store import sheets
    from concord.store.rubrics import rubric_versions

    if rubric:
        chosen = rubric_versions.argument(store, rubric)[1]
    else:
        chosen = sheet_rubric.of_sheet(store, sheets.chosen(store, sheet_name))
    if criterion not in chosen.versions():
        raise Problem(f"{chosen.name} has no criterion {criterion}. Take one that it has.")
    only = sheets.chosen(store, sheet_name) if sheet_name else None
    made = left.ask(store, chosen, criterion, BY, only) if ask else []
    to_ask = left.to_ask(store, chosen, criterion, only)
    rows = regrade_results.rows(store, chosen, criterion)
    document = {
        "rubric": chosen.name,
        "criterion": criterion,
        "made": [
            {
                "set": one.name,
                "grades": regrades.asked_in(store, one.id),
                "answers": one.answers,
            }
            for one in made
        ],
        "to_ask": [_asking(one) for one in to_ask],
        "sentence": regrade_results.sentence(rows),
        "rows": rows,
    }
    lines = [
        f"Made “{one['set']}”: {one['grades']} grades of {one['answers']} answers."
        for one in document["made"]
    ]
    lines += [f"To be asked for again: {one.sentence()}." for one in to_ask]
    lines.append(document["sentence"])
    lines += ["", terminal.table_text(regrade_results.table(rows))] if rows else []
    say(document, json_out, "\n".join(lines))


def _asking(one) -> dict:
    return {
        "sheet": one.sheet.name,
        "grades": len(one.left),
        "answers": len({left.item_id for left in one.left}),
        "annotators": len({left.grader_id for left in one.left}),
    }
