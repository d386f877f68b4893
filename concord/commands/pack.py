"""The command `pack`."""

from concord.commands import options
from concord.commands.frame import BY, say, verb
from concord.messages import counted


@verb
@options.set_name
@options.many("--grader", "names", "NAME", "Annotator.")
@options.text("--out", "DIR", "Folder.", required=True)
def pack(store, sheet_name, name, names, out):
    """Write blind workbooks for annotators without access.

    Import the completed workbooks with grades.
    """
    from pathlib import Path

    from concord.grading import grading_sets, package_workbook
    from concord.store import sheets

    found = grading_sets.named(store, sheets.chosen(store, sheet_name).id, name)
    made = package_workbook.write(store, found, names, out, BY)
    document = {
        "set": found.name,
        "packs": [{"grader": one.grader, "rows": rows} for one, rows in made.packs],
        "finished": made.finished,
        "files": [str(Path(out) / name) for name in made.files],
    }
    lines = [f"{one.grader}: {counted(rows, 'row')}" for one, rows in made.packs]
    lines += [f"{one}: nothing left to grade" for one in made.finished]
    lines.append(f"{out}: {counted(len(made.files), 'file')}")
    say(document, "\n".join(lines))
