"""The command `demo`."""

import os

from concord.commands import options
from concord.commands.frame import say, verb
from concord.messages import Problem
from concord.resources import COMMAND, IS_CHECKOUT


@verb
@options.flag("--again", "Load it even if it was deleted before.")
def demo(store, sheet_name, again):
    """Load the bundled sample, and run the baseline on it."""
    from concord.judges.baseline.run import demo as load
    from concord.samples.load import NAME
    from concord.store import sheets

    if sheet_name not in (None, NAME):
        raise Problem("It is of sheet “{name}”. Leave --sheet out.", name=NAME)
    said = load(store, again)
    there = sheets.find(store, NAME) is not None
    # uvx, which sets UV, leaves no command behind.
    program = "uvx concord-judges" if "UV" in os.environ and not IS_CHECKOUT else COMMAND
    then = f"\n{program} app" if there else ""
    say({"sheet": NAME, "said": said}, f"{said}{then}")
