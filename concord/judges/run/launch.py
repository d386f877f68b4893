"""Launch: a command of the command line, started as a process of its own.

The process outlives the page, the browser and the app. Its error output goes to a log file next to
the database; it holds a lock on that file as long as it lives, so that no process id has to be
remembered. Its progress is in the store.
"""

import fcntl
import os
import subprocess
import threading
import time
from pathlib import Path
from typing import BinaryIO

from concord.judges.run.job import Job, Options
from concord.judges.run.lock import LOCK_PAUSE_S, LOCK_TRIES, RunLocation
from concord.judges.transport import api_keys
from concord.messages import FOR_SCREEN, Problem
from concord.resources import ROOT
from concord.store import runs
from concord.store.database import Store
from concord.team.members import BOUND

LOG_BYTES = 16_000


def start(store: Store, job: Job, argument: str, options: Options) -> None:
    """Start the command that does a job; `argument` is what the command calls the judge.

    The key is in the environment that the process is given, and nowhere else. The process reaches
    the whole store, so only a lead may start one where people sign in; the run records who did.

    Raises:
        Problem: A process that was started so is still at work.
    """
    store.must_lead()
    place = job.place(store)
    latest = place.newest(store)
    # The child inherits this descriptor as stderr, and with it the lock, until it ends. Mode "a"
    # keeps the log of a process at work until the lock is held.
    with place.log_path(store).open("a+b") as log:
        if not _lock(log):
            raise Problem(
                "{judge} is already running on “{sheet}”.", judge=job.name, sheet=job.sheet_name
            )
        log.truncate(0)
        # `has_begun` compares this id with the newest run to see if the child got as far as a run.
        log.write(f"{latest['id'] if latest else 0}\n".encode())
        log.flush()
        process = subprocess.Popen(
            job.command(store.path, argument, options),
            cwd=ROOT,
            env=os.environ
            | {FOR_SCREEN: "1"}
            | api_keys.typed.get()
            | (_signed_in(store.who.name) if store.who else {}),
            # A process that inherits the terminal could stop to ask a question that no screen
            # shows.
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=log,
            start_new_session=True,  # Ctrl-C in the app's terminal is not meant for it
        )
    threading.Thread(target=process.wait, daemon=True).start()  # so that it leaves no zombie


def _signed_in(name: str) -> dict[str, str]:
    """The environment of a process that a signed-in lead starts: the name, and bound keys."""
    return {runs.STARTED_BY: name, BOUND: "1"}


def is_alive(store: Store, place: RunLocation) -> bool:
    """Tell if a process that the app started is still there, also before its run has begun."""
    path = place.log_path(store)
    if not path.exists():
        return False
    with path.open("rb") as log:
        try:
            fcntl.flock(log, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def startup_error(store: Store, place: RunLocation) -> str:
    """The output of a process that ended before its run began; '' if none did."""
    path = place.log_path(store)
    if not path.exists() or is_alive(store, place):
        return ""
    if has_begun(store, place):
        return ""
    return _log_of(path)[1].strip()


def has_begun(store: Store, place: RunLocation) -> bool:
    """Tell if the run of the process that was started last is in the store."""
    before, latest = _log_of(place.log_path(store))[0], place.newest(store)
    return bool(latest and before.isdecimal() and latest["id"] > int(before))


def _log_of(path: Path) -> tuple[str, str]:
    """The id of the newest run before the process, and its output; '' where there is neither."""
    content = path.read_bytes()[:LOG_BYTES] if path.exists() else b""
    before, _, output = content.decode(errors="replace").partition("\n")
    return before, output


def _lock(log: BinaryIO) -> bool:
    """Take the lock, which the process then holds; retried briefly, since `is_alive` probes it."""
    for _ in range(LOCK_TRIES):
        try:
            fcntl.flock(log, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            time.sleep(LOCK_PAUSE_S)
    return False
