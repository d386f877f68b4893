"""The command `topicality`."""

import click

from concord.commands import options
from concord.commands.frame import say_documents, verb


@verb
@click.option(
    "--other-sheet",
    "others",
    multiple=True,
    metavar="SHEET",
    help="Another sheet, used as a segment; repeatable.",
)
@click.option(
    "--sets",
    "column",
    metavar="COLUMN",
    help="The column that names the segments; default: set.",
)
@click.option("--whole", is_flag=True, help="Take the whole sheet as one segment.")
@click.option("--on", "topic", metavar="SET", help="The segment that is about the topic.")
@click.option(
    "--metric", "only", multiple=True, metavar="NAME", help="Only this metric; repeatable."
)
@click.option("--judge", metavar="JUDGE", help="Only values of this metric judge.")
@click.option(
    "--resamples",
    type=click.IntRange(100, 100_000),
    default=2000,
    show_default=True,
    help="Number of bootstrap resamples of the questions.",
)
@click.option(
    "--draw",
    "size",
    type=click.IntRange(min=1),
    help="Questions per resample: the interval is then that of a mean over this many.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=20231,
    show_default=True,
    help="Seed of the bootstrap.",
)
@options.as_json
def topicality(
    store, sheet_name, others, column, whole, topic, only, judge, resamples, size, seed, json_out
):
    """Compare metric values on a topic with those on other questions."""
    from concord.messages import Problem
    from concord.reports.segments import segment_analysis, segments
    from concord.stats.intervals.resampling import Draws
    from concord.store import sheets

    if (others or whole) and (column or topic):
        raise Problem("Name the segments by --sets and --on, or take whole sheets; not both.")
    chosen = sheets.chosen(store, sheet_name)
    if others or whole:
        named = [sheets.chosen(store, name) for name in others]
        found = segments.of_sheets(store, [chosen, *named])
    else:
        found = segments.of_column(store, chosen, column or segments.COLUMN, topic)
    kept = segments.narrowed(found, only, judge)
    report = segment_analysis.report(kept, Draws(resamples, seed, size))
    say_documents(report, json_out, segment_analysis.document(report))
