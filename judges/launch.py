"""Launch: a verb of the command line started as a process of its own, for runs at one place.

It outlives the page, the browser and the app. What it complains of goes to a file beside the
database; it holds a lock on that file as long as it lives, so that nobody has to remember its
number. What it says of its work is in the store.
"""

import fcntl
import os
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from data import runs
from data.store import Store
from judges.place import LOCK_PAUSE_S, LOCK_TRIES, Place
from judges.secret import BOUND
from problems import Problem

CLI = Path(__file__).parent.parent / "cli.py"
SAID_BYTES = 4000


def start(store: Store, place: Place, command: Sequence[str], busy: str) -> None:
    """Start a command whose run stands at a place; a Problem that says `busy` where one is there.

    The key is in the environment, which the process inherits, and nowhere else. The process reaches
    the whole store, so only a lead starts one where people sign in; it notes who did with its run.
    """
    store.must_lead()
    latest = place.newest(store)
    with place.log_path(store).open("a+b") as said:
        if not _lock(said):
            raise Problem(busy)
        said.truncate(0)
        said.write(f"{latest['id'] if latest else 0}\n".encode())
        said.flush()
        process = subprocess.Popen(
            command,
            cwd=CLI.parent,
            env=os.environ | (_signed_in(store.who.name) if store.who else {}),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=said,
            start_new_session=True,  # Ctrl-C in the app's terminal is not meant for it
        )
    threading.Thread(target=process.wait, daemon=True).start()  # so that it leaves no zombie


def _signed_in(name: str) -> dict[str, str]:
    """What a process knows of a lead who starts it: the name, and that keys are bound."""
    return {runs.STARTED_BY: name, BOUND: "1"}


def is_alive(store: Store, place: Place) -> bool:
    """Whether a process that the app started is still there, also before its run has begun."""
    path = place.log_path(store)
    if not path.exists():
        return False
    with path.open("rb") as said:
        try:
            fcntl.flock(said, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def trouble(store: Store, place: Place) -> str:
    """What a process printed that ended before its run began; '' where none did."""
    path = place.log_path(store)
    if not path.exists() or is_alive(store, place):
        return ""
    return "" if has_begun(store, place) else _said(place.log_path(store))[1].strip()


def has_begun(store: Store, place: Place) -> bool:
    """Whether the run of the process that was started last is on record."""
    before, latest = _said(place.log_path(store))[0], place.newest(store)
    return bool(latest and before.isdecimal() and latest["id"] > int(before))


def command(
    db: str, verb: str, given: Mapping[str, Any], flags: Sequence[str], *arguments: str
) -> list[str]:
    """The command line of a verb; options that are None are left out."""
    named = [f"--{key}={value}" for key, value in given.items() if value is not None]
    chosen = [f"--{flag}" for flag in flags]
    base = [sys.executable, str(CLI), "--db", str(Path(db).resolve()), verb]
    return [*base, *named, *chosen, *(["--"] if arguments else []), *arguments]


def argument(name_or_path: str) -> str:
    """A judge as another process finds it, wherever that runs."""
    is_file = name_or_path.endswith(".toml")
    return str(Path(name_or_path).resolve()) if is_file else name_or_path


def _said(path: Path) -> tuple[str, str]:
    """The newest run before the process, and what the process said; '' where there is neither."""
    content = path.read_bytes()[:SAID_BYTES] if path.exists() else b""
    before, _, said = content.decode(errors="replace").partition("\n")
    return before, said


def _lock(said: BinaryIO) -> bool:
    """Take the lock, which the process then holds; tried for a moment, since `is_alive` asks."""
    for _ in range(LOCK_TRIES):
        try:
            fcntl.flock(said, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            time.sleep(LOCK_PAUSE_S)
    return False
