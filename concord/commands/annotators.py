"""The command `annotators`."""

import click

from concord.commands import options
from concord.commands.frame import panel_of, say_documents, verb


@verb
@click.option(
    "--criterion",
    "criteria",
    multiple=True,
    metavar="C",
    help="Only this criterion; repeatable. Default: all.",
)
@click.option(
    "--most",
    type=click.IntRange(0),
    default=10,
    show_default=True,
    help="How many contested answers to list per criterion.",
)
@click.option(
    "--zone", metavar="ZONE", help="Time zone of days and hours, such as Asia/Tokyo; default: UTC."
)
@click.option("--graders", is_flag=True, help="Also print each annotator's card and speed.")
@options.rubric
@options.annotators
@options.as_json
def annotators(store, sheet_name, criteria, most, zone, graders, rubric, annotators, json_out):
    """Report inter-annotator agreement, strictness and warnings; with --graders, alerts.

    Also compare adding a second annotator with grading more answers. --json always contains
    everything.
    """
    from concord.messages import Problem
    from concord.reports.document import as_json as plain
    from concord.reports.panel import grading_times
    from concord.reports.reliability import (
        annotator_card_document,
        annotator_cards,
        annotator_signals,
    )
    from concord.reports.reliability import annotators as report
    from concord.reports.reliability.document import documents

    panel = panel_of(store, sheet_name, rubric, annotators, of_answers=True)
    known = [criterion.name for criterion in panel.rubric.criteria]
    for name in criteria:
        if name not in known:
            raise Problem(f"There is no criterion {name}. Available: {', '.join(known)}.")
    found = report.report(store, panel, grading_times.zone(zone), most, criteria)
    measured = annotator_signals.measured(store, panel, grading_times.read(store, panel))
    cards = annotator_cards.cards(store, panel, measured)
    shown = annotator_card_document.documents(cards, panel.rubric)
    whole = {**plain(found), "cards": plain(cards)}
    say_documents(whole, json_out, *documents(found, panel.rubric, shown, graders))
