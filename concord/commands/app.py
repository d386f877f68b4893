"""The command `app`."""

import os
import sys

import click

from concord.commands.frame import print_note


@click.command
@click.option("--team", is_flag=True, help="Require sign-in (docs/team.md).")
@click.option(
    "--port", type=click.IntRange(1, 65535), help="Port; default: 8501 or the next free one."
)
@click.argument("streamlit", nargs=-1)
@click.pass_obj
def app(db, team, port, streamlit):
    """Open the app in the browser.

    It runs until Ctrl-C. Options after -- are passed to `streamlit run`.
    """
    from concord.resources import ROOT

    print_note("Press Ctrl-C to stop the app. Saved data is kept.")
    if db:
        os.environ["CONCORD_DB"] = os.path.abspath(db)
    # -P: a folder `concord` where this is started must not take the place of the package.
    command = [sys.executable, "-P", "-m", "streamlit", "run", str(ROOT / _script(team))]
    command += [f"--server.port={port}"] if port else []
    command += [f"--server.headless={str(not _has_display()).lower()}", *streamlit]
    os.execv(sys.executable, command)


def _script(team: bool) -> str:
    return "server.py" if team else "app.py"


def _has_display() -> bool:
    """Return whether a browser opened here is visible: not over SSH, and not without a display."""
    if "SSH_CONNECTION" in os.environ:
        return False
    return sys.platform == "darwin" or any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY")))
