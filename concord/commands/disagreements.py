"""The command `disagreements`."""

import click

from concord.commands import options
from concord.commands.frame import panel_of, say_documents, signed, verb
from concord.messages import Problem

CAUSES = ("judge_wrong", "person_wrong", "rubric_unclear", "bad_question", "both_defensible")


@verb
@options.rubric
@click.option("--judge", metavar="NAME", help="Only this judge.")
@click.option("--criterion", metavar="NAME", help="Only this criterion.")
@click.option(
    "--cell", metavar="ANNOTATOR:JUDGE", help="Only these scores: the annotator's and the judge's."
)
@click.option("--model", "answer_model", metavar="NAME", help="Only this answering model.")
@click.option("--size", type=click.IntRange(1), help="Only at least this many points apart.")
@click.option(
    "--cause", type=click.Choice(("untagged", "tagged", *CAUSES)), help="Only this cause."
)
@options.limit
@click.option(
    "--tag",
    "tagged",
    type=(str, click.Choice((*CAUSES, "none"))),
    metavar="ITEM CAUSE",
    help="Set the cause of the disagreement on this item; `none` withdraws it.",
)
@click.option("--by", metavar="NAME", help="The annotator who reads and tags.")
@click.option("--note", default="", help="A note, stored with the tag.")
@click.option(
    "--regrade",
    is_flag=True,
    help="List the grades that a new version of --criterion would leave to regrade.",
)
@options.annotators
@options.as_json
def disagreements(store, sheet_name, rubric, annotators, json_out, regrade, **how):
    """List disagreements of judges with annotators; tag causes.

    The largest differences come first. A cause changes neither a grade nor a figure. After reading
    this list you no longer grade its answers blind: give your name with --by, or it is recorded for
    an unnamed annotator.
    """
    panel = panel_of(store, sheet_name, rubric, annotators, of_answers=True)
    if regrade:
        _say_regrade(store, panel, how["criterion"], json_out)
        return
    from concord.reports.disagreements import disagreement, disagreement_list

    wanted = disagreement_list.wanted(store, panel, how)
    if how["tagged"]:
        disagreement.tag_listed(
            store, panel, wanted, *how["tagged"], signed(how["by"]), how["note"]
        )
    found = disagreement_list.disagreement_list(store, panel, wanted, how["limit"], how["by"])
    say_documents(found, json_out, disagreement_list.document(found, panel.rubric))


def _say_regrade(store, panel, criterion, json_out) -> None:
    """Show which grades a new version of a criterion would leave behind, and which one has."""
    from concord.reports.workflow import grades_left

    if not criterion:
        raise Problem("Name the criterion whose grades are meant: --criterion NAME.")
    panel.rubric.criterion(criterion)
    found = grades_left.grades_left(store, panel.rubric, criterion)
    say_documents(found, json_out, grades_left.document(found))
