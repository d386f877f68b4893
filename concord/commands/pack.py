"""The command `pack`."""

import click

from concord.commands import options
from concord.commands.frame import BY, print_note, say, verb
from concord.messages import counted


@verb
@options.set_name
@options.many("--grader", "names", "NAME", "An annotator; repeatable.")
@click.option("--graders", "count", type=click.IntRange(1, 1000), help="Number of new annotators.")
@click.option("--repeats", type=options.Share(), help="Share of hidden repeats.")
@options.text("--out", "DIR", "The folder to write to.", required=True)
@options.as_json
def pack(store, sheet_name, name, names, count, repeats, out, json_out):
    """Write blind workbooks for annotators without access.

    Import the completed workbooks with grades.
    """
    from concord.grading import grading_sets, package_files
    from concord.store import sheets

    found = grading_sets.named(store, sheets.chosen(store, sheet_name).id, name)
    made = package_files.write(store, found, names, count, repeats, out, BY)
    for sentence in made.notes:
        print_note(sentence)
    document = {
        "set": found.name,
        "packs": [{"grader": one.grader, "rows": rows} for one, rows in made.packs],
        "finished": made.finished,
        "files": [str(path) for path in made.files],
    }
    lines = [f"{one.grader}: {counted(rows, 'row')}" for one, rows in made.packs]
    lines.append(f"{out}: {counted(len(made.files), 'file')}")
    say(document, json_out, "\n".join(lines))
