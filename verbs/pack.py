"""The verb `pack`."""

import click

from verbs.frame import BY, Share, as_json, say, tell, verb


@verb
@click.argument("name", metavar="SET")
@click.option("--grader", "names", multiple=True, metavar="NAME", help="Who; may be repeated.")
@click.option("--graders", "count", type=click.IntRange(1, 1000), help="So many new graders.")
@click.option("--repeats", type=Share(), help="The share that comes back hidden.")
@click.option("--out", metavar="DIR", required=True, help="The folder to write into.")
@click.option(
    "--form",
    "forms",
    multiple=True,
    type=click.Choice(["xlsx", "jsonl", "labelstudio", "argilla"]),
    help="As what; may be repeated. Without it as xlsx and jsonl.",
)
@as_json
def pack(store, sheet_name, name, names, count, repeats, out, forms, json_out):
    """Write a blind file for each grader of a set, for people without access; `grades` reads it."""
    from data import grading_sets, pack_making, sheets

    found = grading_sets.named(store, sheets.chosen(store, sheet_name).id, name)
    made = pack_making.write(store, found, names, count, repeats, forms, out, BY)
    for sentence in made.notes:
        tell(sentence)
    document = {
        "set": found.name,
        "packs": [{"grader": one.grader, "rows": rows} for one, rows in made.packs],
        "finished": made.finished,
        "files": [str(path) for path in made.files],
    }
    say(document, json_out, made.sentence(out))
