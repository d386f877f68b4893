"""The verb `demo`."""

import click

from problems import Problem
from verbs.frame import as_json, say, verb


@verb
@click.option("--again", is_flag=True, help="Load it even if it was removed before.")
@as_json
def demo(store, sheet_name, again, json_out):
    """Load the bundled sample and run the baseline over it."""
    from data.samples.load import NAME
    from judges.demo import demo as load

    if sheet_name not in (None, NAME):
        raise Problem(f"The sample is always called “{NAME}”. Leave --sheet out.")
    said = load(store, again)
    say({"sheet": NAME, "said": said}, json_out, said)
