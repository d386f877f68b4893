"""The command `app`."""

import os
import sys

import click

from concord.commands import options


@click.command
@options.flag("--team", "Require sign-in (docs/team.md).")
@options.flag("--read-only", "Show the database to anyone, as a demo; nothing can change.")
@options.text("--port", click.IntRange(1, 65535), "Port; default: 8501 or the next free one.")
@click.argument("streamlit", nargs=-1)
@click.pass_obj
def app(db, team, read_only, port, streamlit):
    """Open the app in the browser.

    It runs until Ctrl-C. Options after -- are passed to `streamlit run`.
    """
    from concord.resources import ROOT

    if db:
        os.environ["CONCORD_DB"] = os.path.abspath(db)
    if read_only:
        _forbid_writing()
    # -P: a folder `concord` where this is started must not take the place of the package.
    command = [
        sys.executable,
        "-P",
        "-m",
        "streamlit",
        "run",
        str(ROOT / ("server.py" if team else "app.py")),
    ]
    command += [f"--server.port={port}"] if port else []
    command += [f"--server.headless={str(not _has_display()).lower()}", *streamlit]
    os.execv(sys.executable, command)


def _forbid_writing() -> None:
    """Keep this process and the app from writing; a Problem where the database cannot be shown."""
    from concord.store.database import READ_ONLY, open_store

    os.environ[READ_ONLY] = "1"
    open_store().close()


def _has_display() -> bool:
    """Return whether a browser opened here is visible: not over SSH, and not without a display."""
    if "SSH_CONNECTION" in os.environ:
        return False
    return sys.platform == "darwin" or any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY")))
