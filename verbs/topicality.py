"""The verb `topicality`."""

import click

from verbs.frame import as_json, say, verb


@verb
@click.option(
    "--beside",
    multiple=True,
    metavar="SHEET",
    help="Another sheet that is a set of its own; may be repeated.",
)
@click.option(
    "--sets", "column", metavar="COLUMN", help="The column that names the sets; without, `set`."
)
@click.option("--whole", is_flag=True, help="Take the whole sheet as one set.")
@click.option("--on", "topic", metavar="SET", help="The set that is about the topic.")
@click.option("--measure", "only", multiple=True, metavar="NAME", help="Only these measures.")
@click.option("--judge", metavar="JUDGE", help="Only what this judge for measures found.")
@click.option(
    "--resamples",
    type=click.IntRange(100, 100_000),
    default=2000,
    show_default=True,
    help="B, how often the questions are drawn again.",
)
@click.option(
    "--draw",
    "size",
    type=click.IntRange(min=1),
    help="Draw so many questions each time: the interval is then that of a mean of so many.",
)
@click.option("--seed", type=click.IntRange(min=0), default=20231, show_default=True)
@as_json
def topicality(
    store, sheet_name, beside, column, whole, topic, only, judge, resamples, size, seed, json_out
):
    """Hold the measures on questions about a topic against those on other questions."""
    from data import sheets
    from problems import Problem
    from reports import question_sets, topicality_words
    from reports import topicality as report
    from stats.draws import Draws

    if (beside or whole) and (column or topic):
        raise Problem("Name the sets by --sets and --on, or take whole sheets; not both.")
    chosen = sheets.chosen(store, sheet_name)
    if beside or whole:
        others = [sheets.chosen(store, name) for name in beside]
        found = question_sets.of_sheets(store, [chosen, *others])
    else:
        found = question_sets.of_column(store, chosen, column or question_sets.COLUMN, topic)
    kept = question_sets.narrowed(found, only, judge)
    document = report.report(kept, Draws(resamples, seed, size))
    say(document, json_out, topicality_words.text(document))
