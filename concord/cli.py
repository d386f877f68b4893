"""Concord on the command line: the same jobs as the app, for scripts and for large files.

`python cli.py [--db FILE] VERB ...`. Text by default; `--json` prints one JSON document
and nothing else. Exit codes: 0 done; 1 a gate or check did not hold, or a run left items failed;
2 the user can put it right; 130 interrupted. Every file of `concord/commands/` is a verb, but for
its frame and the shared options; each imports what it needs when it is called, so that the help
comes at once.
"""

import os
import pkgutil
import sys
from importlib import import_module

import click

from concord import commands
from concord.commands.frame import print_note
from concord.messages import FOR_SCREEN, Problem, for_screen


class _Verbs(click.Group):
    """Shows a Problem as it is, on standard error, and ends with exit code 2."""

    def invoke(self, ctx):
        try:
            return super().invoke(ctx)
        except Problem as problem:
            read_by_app = os.environ.get(FOR_SCREEN)
            print_note(for_screen(problem.on_screen) if read_by_app else str(problem))
            ctx.exit(2)
        except (KeyboardInterrupt, click.Abort):
            print_note("Interrupted. What was saved stays; repeat the command to go on.")
            ctx.exit(130)


@click.group(cls=_Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--db",
    metavar="FILE",
    help="The database (else CONCORD_DB, else data/concord.db of a checkout, else concord.db in "
    "your data folder).",
)
@click.pass_context
def cli(ctx: click.Context, db: str | None) -> None:
    """Calibrate LLM judges against human annotators."""
    ctx.obj = db


for _, name, _ in pkgutil.iter_modules(commands.__path__):
    if name not in ("frame", "options"):
        cli.add_command(getattr(import_module(f"concord.commands.{name}"), name))


def main() -> None:
    """Run the command line; letters the terminal cannot show are spelled out."""
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")
    cli()
