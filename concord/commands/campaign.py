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
@options.many("--annotators", "NAME", "An annotator; repeatable.")
@click.option("--each", type=click.IntRange(1), help="Annotators per shared answer; default: 2.")
@click.option(
    "--shared",
    type=click.FloatRange(0, 1),
    help="Share of blocks with several annotators; default: 1.",
)
@options.text("--until", "DAY", "Due date; `none` removes it.", callback=_day)
@options.text(
    "--move", "BLOCK FROM TO", "Reassign a block; FROM is - for an unassigned place.", nargs=3
)
@options.text("--leave", "NAME", "Reassign the blocks this annotator has not begun.")
@options.text("--assign", "ITEM NAME", "Assign one answer to one annotator.", nargs=2)
@options.text("--take-back", "ITEM NAME", "Take such an answer back.", nargs=2)
@options.flag("--freeze", "Freeze the rubric with its current wording.")
@click.option("--why", default="", help="Why a block is moved or an annotator leaves.")
@options.yes
@options.as_json
def campaign(store, sheet_name, name, annotators, each, shared, until, move, leave, why, **options):
    """Assign a grading set to annotators, or report progress."""
    from concord.grading import campaigns, grading_sets
    from concord.reports.workflow import campaign as report
    from concord.store import sheets
    from concord.store.rubrics import rubric_versions

    found = grading_sets.named(store, sheets.chosen(store, sheet_name).id, name)
    if annotators:
        _begin(store, found, annotators, each or min(2, len(annotators)), shared, until)
    elif each is not None or shared is not None:
        raise Problem(
            "--each and --shared assign a set to annotators. Name them with --annotators."
        )
    elif until is not None:
        campaigns.set_deadline(store, found, until or None)
    moved = _move(store, found, move, why, options["yes"]) if move else None
    left = None
    if leave:
        gone = campaigns.leave(store, found, _person(store, leave), BY, why)
        left = report.departure(store, leave, gone)
    assigned = _single(store, found, options["assign"], options["take_back"])
    if options["freeze"]:
        rubric_versions.freeze(store, found, BY)
        found = grading_sets.get(store, found.id)
    result = report.progress(store, found, moved=moved, left=left, assigned=assigned)
    say_documents(result, options["json_out"], *report.documents(result))


def _begin(store, found, annotators, each, shared, until) -> None:
    from concord.grading import campaigns
    from concord.store import graders

    ids = [graders.ensure(store, "person", one) for one in annotators]
    part = 1.0 if shared is None else shared
    with store.write():
        campaigns.begin(store, found, ids, each, part if each > 1 else 0.0, until or None, BY)


def _move(store, found, move, why, yes):
    """Move a block after confirmation where work on it is done; None where declined."""
    from concord.grading import campaigns

    number, source, target = move
    if not number.isdecimal() or number == "0":
        raise Problem(f"{number} is not a block. Blocks are numbered from 1.")
    block = int(number) - 1
    holder = None if source == "-" else _person(store, source)
    done, of = campaigns.graded(store, found, holder, block) if holder else (0, 0)
    if done:
        asked = (
            f"{source} has graded {done} of {of} answers of block {number}. Moved, {target} is "
            f"asked for all {of}, and {source}'s grades stay and count."
        )
        if done == of and not (yes or confirm(asked)):
            return None
    target = campaigns.move_to(store, found, [block], holder, target, BY, why)
    return {"block": block + 1, "from": source if holder else None, "to": target, "graded": done}


def _single(store, found, assign, take_back):
    """Assign or take back one answer; return what was done, None for nothing."""
    from concord.grading import assignments

    if assign and take_back:
        raise Problem("Give either --assign or --take-back, not both.")
    if not (assign or take_back):
        return None
    item, name = assign or take_back
    item_id = assignments.item_named(store, found, item)
    change = assignments.assign_singly if assign else assignments.take_back_single
    change(store, found, item_id, _person(store, name), BY)
    return {"item": item, "name": name, "taken_back": bool(take_back)}


def _person(store, name) -> int:
    from concord.store import graders

    return graders.named(store, "person", name).id
