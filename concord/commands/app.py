"""The verb `app`."""

import os
import sys

import click

from concord.commands.frame import tell


@click.command
@click.option("--team", is_flag=True, help="Ask everybody to sign in (docs/team.md).")
@click.option("--port", type=click.IntRange(1, 65535), help="The port, else 8501 or the next free.")
@click.argument("streamlit", nargs=-1)
@click.pass_obj
def app(db, team, port, streamlit):
    """Open the screens in the browser; it runs until Ctrl-C.

    Options of `streamlit run` follow after --.
    """
    from concord.resources import ROOT

    tell("The app stops with Ctrl-C; what was saved stays.")
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
    """Whether a browser that is opened here is seen: not over SSH, and not without a display."""
    if "SSH_CONNECTION" in os.environ:
        return False
    return sys.platform == "darwin" or any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY")))
