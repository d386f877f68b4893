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
    # The name of a signed-in lead, and bound keys.
    signed_in = {runs.STARTED_BY: store.who.name, BOUND: "1"} if store.who else {}
    place = job.place(store)
    latest = place.newest(store)
    # The child inherits this descriptor as stderr, and with it the lock, until it ends. Mode "a"
    # keeps the log of a process at work until the lock is held.
    with place.log_path(store).open("a+b") as log:
        for _ in range(LOCK_TRIES):  # briefly, since `is_alive` probes it
            try:
                fcntl.flock(log, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                time.sleep(LOCK_PAUSE_S)
        else:
            raise Problem(f"{job.name} is already running on “{job.sheet_name}”.")
        log.truncate(0)
        # `has_begun` compares this id with the newest run to see if the child got as far as a run.
        log.write(f"{latest['id'] if latest else 0}\n".encode())
        log.flush()
        process = subprocess.Popen(
            job.command(store.path, argument, options),
            cwd=ROOT,
            env=os.environ | {FOR_SCREEN: "1"} | api_keys.typed.get() | signed_in,
            # A process that inherits the terminal could stop to ask a question that no screen
            # shows.
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=log,
            start_new_session=True,  # Ctrl-C in the app's terminal is not meant for it
        )
    threading.Thread(target=process.wait, daemon=True).start()  # so that it leaves no zombie


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
    ended = not (is_alive(store, place) or has_begun(store, place))
    return _log_of(store, place)[1].strip() if ended else ""


def has_begun(store: Store, place: RunLocation) -> bool:
    """Tell if the run of the process that was started last is in the store."""
    before, latest = _log_of(store, place)[0], place.newest(store)
    return bool(latest and before.isdecimal() and latest["id"] > int(before))


def _log_of(store: Store, place: RunLocation) -> tuple[str, str]:
    """The id of the newest run before the process, and its output; '' where there is neither."""
    path = place.log_path(store)
    content = path.read_bytes()[:LOG_BYTES] if path.exists() else b""
    before, _, output = content.decode(errors="replace").partition("\n")
    return before, output
