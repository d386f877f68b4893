"""The verb `refuted`."""

import click

from problems import Problem
from verbs.frame import as_json, say, sheet_of, verb


@verb
@click.option("--rubric", "name", metavar="R", help="The rubric of units, if there are several.")
@click.option("--judge", metavar="NAME", help="Only this judge's.")
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True, help="How many.")
@click.option("--confirm", "confirmed", type=int, multiple=True, metavar="ID", help="It is right.")
@click.option("--overturn", "overturned", type=int, multiple=True, metavar="ID", help="It is not.")
@click.option("--take-back", "taken", type=int, multiple=True, metavar="ID", help="Neither.")
@click.option("--by", metavar="NAME", help="The person who looks and says so.")
@click.option("--note", default="", help="A note, kept with what is said.")
@as_json
def refuted(store, sheet_name, name, judge, limit, json_out, by, note, **said):
    """List what judges call contradicted, and --confirm or --overturn it.

    What is said changes no grade; it makes the precision of the judge's refutations. Whoever sees
    the list no longer grades its answers blind: name yourself with --by.
    """
    from reports import refuted_list

    sheet = sheet_of(store, sheet_name)
    if any(said.values()):
        if not by:
            raise Problem(
                "What is said is kept with a name. Add --by NAME, the person who says it."
            )
        refuted_list.settle(store, sheet, name, said, by, note)
    found = refuted_list.document(store, sheet, name, judge, limit, by)
    say(found, json_out, refuted_list.text(found))
