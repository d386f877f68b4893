"""The verb `roles`."""

import click

from problems import Problem
from verbs.frame import Share, as_json, confirm, say, verb, yes_option


@verb
@click.option("--set", "role", type=click.Choice(["examples", "evaluation", "sealed"]))
@click.option(
    "--question", "ids", multiple=True, metavar="ID", help="A question's id; may be repeated."
)
@click.option("--seal", type=Share(), metavar="SHARE", help="Draw this share, and seal it.")
@click.option("--seed", type=int, default=1, show_default=True, help="Draws the same again.")
@click.option(
    "--everywhere", is_flag=True, help="Also what has the same text or cluster in other sheets."
)
@click.option("--why", default="", help="Why, for the record.")
@yes_option
@as_json
def roles(store, sheet_name, role, ids, seal, yes, json_out, **how):
    """List the roles of questions, --set the role of some, or --seal a share drawn at random.

    A question goes by the sheet's own id, or where it has none by the number that the list shows.
    What would leak is refused, with the reason.
    """
    from data import roles as stored
    from data import seals, sheets
    from reports import lists, sealing

    sheet = sheets.chosen(store, sheet_name)
    if bool(role) != bool(ids) or (role and seal is not None):
        raise Problem(
            "Setting a role takes both: --set ROLE, and --question ID for each question. Drawing "
            "takes --seal SHARE alone."
        )
    change = None
    if role:
        named = stored.questions_named(store, sheet, ids)
        change = stored.assign(store, named, role, how["why"], how["everywhere"])
    elif seal is not None:
        change = _sealed(store, sheet, seal, yes, how)
    found = [dict(row) for row in stored.of_sheet(store, sheet.id)]
    document = {
        "sheet": sheet.name,
        "questions": found,
        "change": change and change.as_json(),
        "openings": [opening.as_json() for opening in seals.openings(store, sheet)],
    }
    said = f"{sealing.in_words(change)}\n\n" if change else ""
    say(document, json_out, f"{said}{lists.roles(found)}")


def _sealed(store, sheet, share, yes, how):
    """Draw and seal, after saying what it takes from the figures."""
    from reports import sealing

    wanted = sealing.share_of(store, sheet, share)
    drawn = sealing.draw(store, sheet, wanted, how["seed"], how["everywhere"])
    if not (yes or confirm(f"{sealing.in_words(drawn.move)} Sealing is for good.")):
        return None
    return sealing.seal(store, sheet, drawn, how["why"], how["everywhere"])
