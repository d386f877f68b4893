"""The verb `regrade`."""

import click

from problems import Problem
from verbs.frame import BY, as_json, rubric_option, say, verb


@verb
@rubric_option
@click.option("--criterion", metavar="NAME", required=True, help="The criterion worded anew.")
@click.option("--ask", is_flag=True, help="Put what no longer compares back into people's queues.")
@as_json
def regrade(store, sheet_name, rubric, criterion, ask, json_out):
    """Ask people again for the grades a new wording left behind, and hold old and new together."""
    from data import regrades, rubric_versions, sheet_rubric, sheets
    from reports import regrade as left
    from reports import regraded

    if rubric:
        chosen = rubric_versions.argument(store, rubric)[1]
    else:
        chosen = sheet_rubric.of_sheet(store, sheets.chosen(store, sheet_name))
    if criterion not in chosen.versions():
        raise Problem(f"{chosen.name} has no criterion {criterion}. Take one that it has.")
    only = sheets.chosen(store, sheet_name) if sheet_name else None
    made = left.ask(store, chosen, criterion, BY, only) if ask else []
    to_ask = left.to_ask(store, chosen, criterion, only)
    rows = regraded.rows(store, chosen, criterion)
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
        "sentence": regraded.sentence(rows),
        "rows": rows,
    }
    lines = [
        f"Made “{one['set']}”: {one['grades']} grades of {one['answers']} answers."
        for one in document["made"]
    ]
    lines += [f"To be asked for again: {one.sentence()}." for one in to_ask]
    say(document, json_out, "\n".join([*lines, document["sentence"], regraded.text(rows)]).strip())


def _asking(one) -> dict:
    return {
        "sheet": one.sheet.name,
        "grades": len(one.left),
        "answers": len({left.item_id for left in one.left}),
        "people": len({left.grader_id for left in one.left}),
    }
