"""The command `disagreements`."""

import click

from concord.commands import options
from concord.commands.frame import panel_of, say_documents, sheet_of, signed, verb
from concord.messages import Problem

CAUSES = ("judge_wrong", "person_wrong", "rubric_unclear", "bad_question", "both_defensible")


@verb
@options.rubric
@options.text("--judge", "NAME", options.ONLY)
@options.only_criterion
@options.text("--cell", "ANNOTATOR:JUDGE", options.ONLY)
@options.text("--cause", click.Choice(("untagged", "tagged", *CAUSES)), options.ONLY)
@options.limit
@options.text(
    "--tag",
    "tagged",
    "KEY CAUSE",
    "Set the cause of a disagreement; `none` withdraws it.",
    type=(str, click.Choice((*CAUSES, "none"))),
)
@options.by
@options.note
@options.flag("--contradicted", "List claims that judges call contradicted, under --rubric.")
@options.many("--confirm", "confirmed", int, "Confirm.")
@options.many("--overturn", "overturned", int, "Overturn.")
@options.many("--take-back", "taken", int, "Withdraw.")
@options.annotators
def disagreements(
    store, sheet_name, rubric, annotators, contradicted, confirmed, overturned, taken, **how
):
    """List disagreements of judges with annotators, or contradicted claims; tag and review them.

    The largest differences come first. Neither a cause nor a review changes a grade. After reading
    this list you no longer grade its answers blind: give your name with --by, or it is recorded for
    an unnamed annotator.
    """
    reviews = {"confirmed": confirmed, "overturned": overturned, "taken": taken}
    if contradicted or any(reviews.values()):
        _say_contradicted(store, sheet_name, rubric, how, reviews)
        return
    panel = panel_of(store, sheet_name, rubric, annotators, of_answers=True)
    from concord.reports import disagreements as report
    from concord.store import graders

    wanted = report.wanted(store, panel, how["judge"], how["criterion"], how["cell"])
    if how["tagged"]:
        key, cause = how["tagged"]
        if key not in {*report.every(panel, wanted)["key"]}:
            raise Problem("The list has no disagreement “{key}”.", key=key)
        who = graders.ensure_annotator(store, signed(how["by"]))
        cause = "" if cause == "none" else cause
        report.tag(store, panel, report.read_key(key), cause, who.id, how["note"])
    found = report.report(store, panel, wanted, how["cause"], how["limit"], how["by"])
    say_documents(found, report.document(found))


def _say_contradicted(store, sheet_name, rubric, how, reviews) -> None:
    """List and review what judges call contradicted."""
    from concord.reports.units import contradicted_claims

    sheet, judge, by = sheet_of(store, sheet_name), how["judge"], how["by"]
    if any(reviews.values()):
        contradicted_claims.review(store, sheet, rubric, reviews, signed(by), how["note"])
    found = contradicted_claims.refutations(store, sheet, rubric, judge, how["limit"], by)
    say_documents(found, contradicted_claims.document(found))
