"""The command `demo`."""

import os

import click

from concord.commands import options
from concord.commands.frame import say, verb
from concord.messages import Problem
from concord.resources import COMMAND, IS_CHECKOUT


@verb
@click.option("--again", is_flag=True, help="Load it even if it was deleted before.")
@options.as_json
def demo(store, sheet_name, again, json_out):
    """Load the bundled sample, and run the baseline on it."""
    from concord.judges.baseline.demo import demo as load
    from concord.samples.load import NAME
    from concord.store import sheets

    if sheet_name not in (None, NAME):
        raise Problem(f"The sample is always called “{NAME}”. Leave --sheet out.")
    said = load(store, again)
    there = sheets.find(store, NAME) is not None
    then = f"\nOpen it in the browser with `{_program()} app`." if there else ""
    say({"sheet": NAME, "said": said}, json_out, f"{said}{then}")


def _program() -> str:
    """Return how Concord is called here; uvx, which sets UV, leaves no command behind."""
    return "uvx concord-judges" if "UV" in os.environ and not IS_CHECKOUT else COMMAND
