"""The command `demo`."""

import click

from concord.commands import options
from concord.commands.frame import say, verb
from concord.messages import Problem


@verb
@click.option("--again", is_flag=True, help="Load it even if it was deleted before.")
@options.as_json
def demo(store, sheet_name, again, json_out):
    """Load the bundled sample, and run the baseline on it."""
    from concord.judges.baseline.demo import demo as load
    from concord.samples.load import NAME

    if sheet_name not in (None, NAME):
        raise Problem(f"The sample is always called “{NAME}”. Leave --sheet out.")
    said = load(store, again)
    say({"sheet": NAME, "said": said}, json_out, said)
