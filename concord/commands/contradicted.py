"""The command `contradicted`."""

import click

from concord.commands import options
from concord.commands.frame import say_documents, sheet_of, signed, verb


@verb
@click.option("--rubric", "name", metavar="R", help="The rubric of units, if there are several.")
@click.option("--judge", metavar="NAME", help="Only this judge.")
@options.limit
@click.option(
    "--confirm",
    "confirmed",
    type=int,
    multiple=True,
    metavar="ID",
    help="Confirm this refutation; repeatable.",
)
@click.option(
    "--overturn",
    "overturned",
    type=int,
    multiple=True,
    metavar="ID",
    help="Overturn this refutation; repeatable.",
)
@click.option(
    "--take-back",
    "taken",
    type=int,
    multiple=True,
    metavar="ID",
    help="Withdraw the review of this refutation; repeatable.",
)
@click.option("--by", metavar="NAME", help="The annotator who reads and reviews.")
@click.option("--note", default="", help="A note, stored with the review.")
@options.as_json
def contradicted(store, sheet_name, name, judge, limit, json_out, by, note, **said):
    """List claims that judges call contradicted, and review them.

    A review changes no grade; it gives the precision of the judge's refutations. After reading this
    list you no longer grade its answers blind: give your name with --by.
    """
    from concord.reports.units import contradicted_claims_list

    sheet = sheet_of(store, sheet_name)
    if any(said.values()):
        contradicted_claims_list.review(store, sheet, name, said, signed(by), note)
    found = contradicted_claims_list.refutations(store, sheet, name, judge, limit, by)
    say_documents(found, json_out, contradicted_claims_list.document(found))
