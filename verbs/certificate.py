"""The verb `certificate`."""

from pathlib import Path

import click

from verbs.frame import (
    as_json,
    confirm,
    panel_of,
    people_option,
    rubric_option,
    say,
    verb,
    yes_option,
)


@verb
@click.argument("judge", metavar="JUDGE")
@click.option(
    "--criterion",
    "criteria",
    multiple=True,
    metavar="C",
    help="A criterion to certify; may be repeated.",
)
@click.option("--sealed", "why", metavar="WHY", help="Open the sealed questions for it, and why.")
@click.option("--who", default="", help="Who opens them, for the record.")
@click.option("--days", type=click.IntRange(1), default=90, show_default=True, help="Its life.")
@click.option("--html", type=click.Path(path_type=Path), help="Also write the page to this file.")
@click.option(
    "--anchors", type=click.IntRange(1), metavar="N", help="Carry N answers for `recheck`."
)
@click.option(
    "--anchor-repeats",
    type=click.IntRange(2, 8),
    default=3,
    show_default=True,
    help="Replies to each anchor; what is not stored is asked.",
)
@click.option(
    "--budget", type=click.FloatRange(0), metavar="USD", help="The most that asking may cost."
)
@yes_option
@rubric_option
@people_option
@as_json
def certificate(
    store,
    sheet_name,
    judge,
    criteria,
    why,
    who,
    days,
    html,
    anchors,
    anchor_repeats,
    budget,
    yes,
    rubric,
    people,
    json_out,
):
    """Certify a judge: every figure, what it rests on, and what it does not show.

    It rests on the newest looks at decisions (`choose`), one per criterion. A judge that is not
    good enough on one criterion is certified only on those that --criterion names. Write it with
    --json into a file for `verify` and `gate --certificate`.
    """
    from judges.session import Options
    from reports import certification, gate
    from reports.anchors import carried

    panel = panel_of(store, sheet_name, rubric, people, "A certificate is")
    found, kept = gate.judge_of(store, panel, judge), None
    if anchors:
        asking = Options(budget=budget, yes=yes)
        kept = carried(store, panel, found, anchors, anchor_repeats, asking, confirm)
        panel = panel_of(store, sheet_name, rubric, people)
    body = certification.certify(store, panel, found, days, why, who, kept, criteria)
    if html:
        certification.write_page(body, html)
    say(body, json_out, certification.sentence(body))
