"""The verb `drafts`."""

import click

from problems import Problem
from verbs.frame import as_json, say, verb

DECISIONS = ("approve", "reject")


@verb
@click.option("--approve", type=int, multiple=True, metavar="NUMBER", help="May be repeated.")
@click.option("--reject", type=int, multiple=True, metavar="NUMBER", help="May be repeated.")
@click.option("--question", help="Approve one draft with this question instead.")
@click.option("--reference", help="Approve one draft with this reference answer instead.")
@click.option("--quote", help="Approve one draft with this quote instead.")
@click.option("--by", "who", default="", metavar="NAME", help="Who decides.")
@click.option("--why", default="", help="Why a draft is rejected.")
@click.option("--state", type=click.Choice(["waiting", "approved", "rejected", "faulty"]))
@as_json
def drafts(store, sheet_name, approve, reject, who, why, state, json_out, **edited):
    """List the drafted questions of a sheet, and approve, edit or reject them one by one.

    There is no way to approve all at once: a person reads each.
    """
    from data import drafts as stored
    from reports import building as words

    name = stored.chosen(store, sheet_name)
    changes = {key: text for key, text in edited.items() if text is not None}
    if changes and (len(approve) != 1 or reject):
        raise Problem("Editing takes exactly one --approve NUMBER, and no --reject.")
    with store.write():
        for number in approve:
            mine = _of(stored, store, name, number)
            stored.approve(store, number, who, mine.words._replace(**changes))
        for number in reject:
            _of(stored, store, name, number)
            stored.reject(store, number, who, why)
    found, counts = stored.of_sheet(store, name, state), stored.counts(store, name)
    document = {"sheet": name, "counts": counts, "drafts": [words.as_json(d) for d in found]}
    say(document, json_out, words.listed(name, counts, found))


def _of(stored, store, name, number):
    """A draft by its number, which must belong to the sheet."""
    draft = stored.get(store, number)
    if draft.sheet_name != name:
        raise Problem(f"Draft {number} belongs to another sheet. Name that with --sheet.")
    return draft
