"""The command `campaign`."""

import click

from concord.commands import options
from concord.commands.frame import BY, confirm, say_documents, verb
from concord.messages import Problem

NO_DAY = "none"


def _day(ctx, param, value: str | None) -> str | None:
    """Return a day as stored; '' removes it, None leaves it."""
    from concord.grading import campaigns

    if value is None or value == NO_DAY:
        return value and ""
    try:
        return campaigns.day(value)
    except Problem as problem:
        raise click.BadParameter(str(problem)) from None


@verb
@options.set_name
@options.many("--annotators", "NAME", "Annotator.")
@options.text("--each", options.COUNT, "Annotators per shared answer; default: 2.")
@options.text(
    "--shared", click.FloatRange(0, 1), "Share of blocks with several annotators; default: 1."
)
@options.text("--until", "DAY", "Due date; `none` removes it.", callback=_day)
@options.text("--blocks", options.COUNT, "Blocks; default: as many for everyone.")
@options.text(
    "--move",
    "BLOCK FROM TO",
    "Reassign a block, or all unfinished; FROM is - for an unassigned place.",
    nargs=3,
)
@options.text("--leave", "NAME", "Reassign the blocks this annotator has not begun.")
@click.option("--close/--open", "close", default=None, help="Let no grade change, or open again.")
@options.why
@options.yes
def campaign(store, sheet_name, name, annotators, until, move, leave, why, close, **options):
    """Assign a grading set to annotators, or report progress."""
    from concord.grading import campaigns, grading_sets
    from concord.reports.workflow import campaign as report
    from concord.store import sheets

    found = grading_sets.named(store, sheets.chosen(store, sheet_name).id, name)
    dealt = [options[key] for key in ("each", "shared", "blocks")]
    if annotators:
        _begin(store, found, annotators, *dealt, until)
    elif dealt != [None] * 3:
        raise Problem("--each, --shared and --blocks assign a set: give --annotators too.")
    elif until is not None:
        campaigns.set_deadline(store, found, until or None)
    moved = _move(store, found, move, why, options["yes"]) if move else None
    left = None
    if leave:
        gone = campaigns.leave(store, found, _person(store, leave), BY, why)
        left = report.departure(leave, gone)
    if close is not None:
        grading_sets.close(store, found, close, BY)
    result = report.progress(store, found, moved=moved, left=left)
    say_documents(result, report.document(result))


def _begin(store, found, annotators, each, shared, blocks, until) -> None:
    from concord.grading import campaigns
    from concord.store import graders

    each = each or min(2, len(annotators))
    part = 1.0 if shared is None else shared
    blocks = blocks or campaigns.blocks_for(found.answers, found.questions, len(annotators))
    with store.write():
        ids = [graders.ensure(store, "person", one) for one in annotators]
        part = part if each > 1 else 0.0
        campaigns.begin(store, found, ids, each, part, until or None, BY, blocks)


def _move(store, found, move, why, yes):
    """Move blocks after confirmation where work on one is done; None where declined."""
    from concord.grading import campaigns

    number, source, target = move
    holder = None if source == "-" else _person(store, source)
    if number == "all":
        blocks = campaigns.movable(store, found, holder, target)
    elif number.isdecimal() and number != "0":
        blocks = [int(number) - 1]
    else:
        raise Problem("There is no block {number}; they are numbered from 1.", number=number)
    graded = [campaigns.graded(store, found, holder, one) for one in blocks if holder]
    if any(0 < done == of for done, of in graded):
        asked = (
            "{} has finished block {}. Moved, {} is asked for all of it; the grades stay and count."
        )
        if not (yes or confirm(asked.format(source, number, target))):
            return None
    target = campaigns.move_to(store, found, blocks, holder, target, BY, why)
    return {
        "blocks": [block + 1 for block in blocks],
        "from": source if holder else None,
        "to": target,
        "graded": sum(done for done, _ in graded),
    }


def _person(store, name) -> int:
    from concord.store import graders

    return graders.named(store, "person", name).id
