"""The command `drafts`."""

import click

from concord.commands import options
from concord.commands.frame import say_documents, verb
from concord.messages import Problem


@verb
@click.option(
    "--approve", type=int, multiple=True, metavar="NUMBER", help="A draft's number; repeatable."
)
@click.option(
    "--reject", type=int, multiple=True, metavar="NUMBER", help="A draft's number; repeatable."
)
@click.option("--question", help="Approve one draft with this question instead.")
@click.option("--reference", help="Approve one draft with this reference answer instead.")
@click.option("--quote", help="Approve one draft with this quote instead.")
@click.option("--by", "who", default="", metavar="NAME", help="The reviewer.")
@click.option("--why", default="", help="Reason for rejecting a draft.")
@click.option(
    "--state",
    type=click.Choice(["waiting", "approved", "rejected", "faulty"]),
    help="List only drafts in this state.",
)
@options.as_json
def drafts(store, sheet_name, approve, reject, who, why, state, json_out, **edited):
    """List drafted questions, and approve, edit or reject them.

    Drafts are approved one at a time, because each has to be read.
    """
    from concord.building import drafts as stored
    from concord.reports.workflow import building as words

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
    document = {"sheet": name, "counts": counts, "drafts": [words.drafted(d) for d in found]}
    say_documents(document, json_out, words.listed(name, counts, found))


def _of(stored, store, name, number):
    """A draft by its number, which must belong to the sheet."""
    draft = stored.get(store, number)
    if draft.sheet_name != name:
        raise Problem(f"Draft {number} belongs to another sheet. Name that with --sheet.")
    return draft
