"""The command `splits`."""

import click

from concord.commands import options
from concord.commands.frame import confirm, say_documents, tell_document, verb
from concord.messages import Problem


@verb
@options.text(
    "--set",
    "split",
    click.Choice(["few-shot", "evaluation", "held-out"]),
    "Move questions to this split.",
)
@options.many("--question", "ids", "ID", "Question.")
@options.text("--hold-out", "share", options.SHARE, "Hold out a random sample of this share.")
@options.seed
@options.flag("--everywhere", "Also those with the same text or cluster in other sheets.")
@options.why
@options.yes
def splits(store, sheet_name, split, ids, share, yes, **how):
    """List the splits of questions, and change them.

    --set moves questions to a split; --hold-out holds out a random sample. A question is named by
    the sheet's own id, or else by its number in the list. A change that would leak is refused with
    the reason.
    """
    from concord.reports import lists, samples
    from concord.reports.document import Document
    from concord.sampling import holdout, split_assignment
    from concord.sampling import splits as stored
    from concord.store import sheets

    sheet = sheets.chosen(store, sheet_name)
    if bool(split) != bool(ids) or (split and share is not None):
        raise Problem(
            "Moving questions takes both --set SPLIT and --question ID for each question. A random "
            "held-out sample takes --hold-out SHARE alone."
        )
    change = None
    if split:
        named = stored.questions_named(store, sheet, ids)
        change = split_assignment.assign(store, named, split, how["why"], how["everywhere"])
    elif share is not None:
        change = _hold_out(store, sheet, share, yes, how)
    found = [dict(row) for row in stored.of_sheet(store, sheet.id)]
    document = {
        "sheet": sheet.name,
        "questions": found,
        "change": change and change.as_json(),
        "openings": [opening.as_json() for opening in holdout.openings(store, sheet)],
    }
    shown = [samples.document(change)] if change else []
    unused = stored.leaked(store, sheet.id) | stored.held_out(store, sheet.id)
    listed = Document("", tables=(lists.split_table(found, unused, most=60),))
    say_documents(document, *shown, listed)


def _hold_out(store, sheet, share, yes, how):
    """Hold out a random sample, after showing what it takes from the figures."""
    from concord.reports import samples

    wanted = samples.share_of(store, sheet, share)
    drawn = samples.draw(store, sheet, wanted, how["seed"], how["everywhere"])
    if not yes:
        tell_document(samples.document(drawn.move))
        if not confirm("This cannot be undone."):
            return None
    return samples.hold_out(store, sheet, drawn, how["why"], how["everywhere"])
