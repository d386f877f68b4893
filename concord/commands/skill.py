"""The command `skill`."""

from pathlib import Path

import click

from concord.commands.frame import say, verb, write_new
from concord.resources import SKILLS


@verb(keeps=False)
@click.argument("folder", metavar="DIR")
def skill(store, sheet_name, folder):
    """Write the skill for coding agents into their folder of skills, such as .claude/skills."""
    files = {Path(folder, one.relative_to(SKILLS)): one for one in sorted(SKILLS.rglob("*.md"))}
    for path, shipped in files.items():
        if not path.exists() or path.read_bytes() != shipped.read_bytes():
            write_new(path, shipped.read_text("utf-8"))
    names = [*map(str, files)]
    say({"files": names}, "\n".join(names))
