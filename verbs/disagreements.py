"""The verb `disagreements`."""

import click

from problems import Problem
from verbs.frame import as_json, panel_of, people_option, rubric_option, say, verb

CAUSES = ("judge_wrong", "person_wrong", "rubric_unclear", "bad_question", "both_defensible")


@verb
@rubric_option
@click.option("--judge", metavar="NAME", help="Only this judge's.")
@click.option("--criterion", metavar="NAME", help="Only this criterion's.")
@click.option("--cell", metavar="P:J", help="Only with these scores: the person's, the judge's.")
@click.option("--model", metavar="NAME", help="Only answers of this answering model.")
@click.option("--size", type=click.IntRange(1), help="Only so many points apart, or more.")
@click.option("--cause", type=click.Choice(("untagged", "tagged", *CAUSES)), help="Only with this.")
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True, help="How many.")
@click.option(
    "--tag",
    "tagged",
    type=(str, click.Choice((*CAUSES, "none"))),
    metavar="ITEM CAUSE",
    help="Say what the one disagreement on this item came from; `none` takes it back.",
)
@click.option("--by", metavar="NAME", help="The person who looks and tags.")
@click.option("--note", default="", help="A note, kept with the tag.")
@click.option("--regrade", is_flag=True, help="List what a new version of --criterion leaves.")
@people_option
@as_json
def disagreements(store, sheet_name, rubric, people, json_out, regrade, **how):
    """List where judges and people differ, the worst first, or --tag what it came from.

    A cause changes neither a grade nor any figure. Whoever sees the list no longer grades its
    answers blind: name yourself with --by, or it counts for someone unnamed.
    """
    panel = panel_of(store, sheet_name, rubric, people, "The list of disagreements is")
    if regrade:
        _say_regrade(store, panel, how["criterion"], json_out)
        return
    from reports import work_list

    wanted = work_list.wanted(store, panel, how)
    if how["tagged"]:
        if not how["by"]:
            raise Problem("A tag is kept with a name. Add --by NAME, the person who says so.")
        work_list.tag(store, panel, wanted, *how["tagged"], how["by"], how["note"])
    found = work_list.document(store, panel, wanted, how["limit"], how["by"])
    document = {**found, "synthetic": panel.sheet.synthetic}
    say(document, json_out, work_list.text(found, panel.rubric))


def _say_regrade(store, panel, criterion, json_out) -> None:
    """Which grades a new version of a criterion would leave behind, and which one has left."""
    from reports import regrade

    if not criterion:
        raise Problem("Name the criterion whose grades are meant: --criterion NAME.")
    panel.rubric.criterion(criterion)
    found = regrade.document(store, panel.rubric, criterion)
    say(found, json_out, found["sentence"])
