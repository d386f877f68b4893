"""The command `mcp`."""

import click

from concord.messages import Problem
from concord.resources import install


@click.command
@click.pass_obj
def mcp(db):
    """Offer the jobs of Concord to a coding agent, as tools over standard input and output.

    The agent starts it (docs/command-line.md). Tools read and write files in the folder that it is
    started in, and in no other.
    """
    try:
        from concord.mcp import server
    except ModuleNotFoundError:
        raise Problem("Install the tools: {command}", command=install("mcp")) from None
    server.serve(db)
