"""Launch: a command of the command line, started as a process of its own.

The process outlives the page, the browser and the app. Its error output goes to a log file next to
the database; it holds a lock on that file as long as it lives, so that no process id has to be
remembered. Its progress is in the store.
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

from concord.judges.running.engine import Options, Plan
from concord.judges.running.run_lock import LOCK_PAUSE_S, LOCK_TRIES, Place
from concord.messages import said
from concord.problems import Problem
from concord.resources import ROOT
from concord.store import runs
from concord.store.database import Store
from concord.team.members import BOUND

LOG_BYTES = 4000


def start(store: Store, plan: Plan, argument: str, options: Options) -> None:
    """Start the command that does a plan.

    The key is in the environment, which the process inherits, and nowhere else. The process reaches
    the whole store, so only a lead may start one where people sign in; the run records who did.

    Args:
        store: The open store.
        plan: What to do.
        argument: What the command calls the judge.
        options: The options of the command.

    Raises:
        Problem: A process that was started so is still at work.
    """
    store.must_lead()
    place = plan.place(store)
    latest = place.newest(store)
    with place.log_path(store).open("a+b") as log:
        if not _lock(log):
            raise Problem(
                said(
                    "{judge} is at work on “{sheet}” already.",
                    judge=plan.name,
                    sheet=plan.sheet_name,
                )
            )
        log.truncate(0)
        log.write(f"{latest['id'] if latest else 0}\n".encode())
        log.flush()
        process = subprocess.Popen(
            plan.command(store.path, argument, options),
            cwd=ROOT,
            env=os.environ | (_signed_in(store.who.name) if store.who else {}),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=log,
            start_new_session=True,  # Ctrl-C in the app's terminal is not meant for it
        )
    threading.Thread(target=process.wait, daemon=True).start()  # so that it leaves no zombie


def _signed_in(name: str) -> dict[str, str]:
    """The environment of a process that a signed-in lead starts: the name, and bound keys."""
    return {runs.STARTED_BY: name, BOUND: "1"}


def is_alive(store: Store, place: Place) -> bool:
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


def trouble(store: Store, place: Place) -> str:
    """The output of a process that ended before its run began; '' if none did."""
    path = place.log_path(store)
    if not path.exists() or is_alive(store, place):
        return ""
    return "" if has_begun(store, place) else _log_of(place.log_path(store))[1].strip()


def has_begun(store: Store, place: Place) -> bool:
    """Tell if the run of the process that was started last is in the store."""
    before, latest = _log_of(place.log_path(store))[0], place.newest(store)
    return bool(latest and before.isdecimal() and latest["id"] > int(before))


def command(
    db: str, verb: str, given: Mapping[str, Any], flags: Sequence[str], *arguments: str
) -> list[str]:
    """The command line of a command; options that are None are left out."""
    named = [f"--{key}={value}" for key, value in given.items() if value is not None]
    chosen = [f"--{flag}" for flag in flags]
    base = [sys.executable, "-m", "concord", "--db", str(Path(db).resolve()), verb]
    return [*base, *named, *chosen, *(["--"] if arguments else []), *arguments]


def judge_command(db: str, argument_: str, sheet: str, options: Options) -> list[str]:
    """The command line of `judge` for one judge and sheet."""
    given = {
        "sheet": sheet,
        "model": options.model,
        "base-url": options.base_url,
        "rubric": options.rubric,
        "concurrency": options.concurrency,
        "repeat": options.repeats,
        "limit": options.limit,
        "budget": options.budget,
        "measures": ",".join(options.measures) or None,
    }
    flags = ("retry-unscored", "batch", "cancel-batch")
    chosen = [flag for flag in flags if getattr(options, flag.replace("-", "_"))]
    return command(db, "judge", given, [*chosen, "yes"], argument(argument_))


def argument(name_or_path: str) -> str:
    """A judge as another process finds it, whatever its working folder."""
    is_file = name_or_path.endswith(".toml")
    return str(Path(name_or_path).resolve()) if is_file else name_or_path


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
