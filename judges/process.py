"""Process: a run that the app starts as a process of its own, by the verb of the command line.

It outlives the page, the browser and the app. What it complains of goes to a file beside the
database; it holds a lock on that file as long as it lives, so that nobody has to remember its
number. What it says of its work is in the store.
"""

import fcntl
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import BinaryIO

from data import runs
from data.store import Store
from judges import job as jobs
from judges.job import Job
from judges.runner import LOCK_PAUSE_S, LOCK_TRIES
from judges.session import Options
from problems import Problem

CLI = Path(__file__).parent.parent / "cli.py"
SAID_BYTES = 4000


def start(store: Store, job: Job, argument: str, options: Options) -> None:
    """Start a job as a process of its own; `argument` and `options` are those of the verb.

    The key is in the environment, which the process inherits, and nowhere else.
    """
    grader_id = jobs.grader_id(store, job)
    latest = runs.latest(store, job.sheet.id, grader_id)
    with _said_path(store, job.sheet.id, grader_id).open("a+b") as said:
        if not _lock(said):
            raise Problem(f"{job.judge.name} is at work on “{job.sheet.name}” already.")
        said.truncate(0)
        said.write(f"{latest['id'] if latest else 0}\n".encode())
        said.flush()
        process = subprocess.Popen(
            command(store.path, argument, job.sheet.name, options),
            cwd=CLI.parent,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=said,
            start_new_session=True,  # Ctrl-C in the app's terminal is not meant for it
        )
    threading.Thread(target=process.wait, daemon=True).start()  # so that it leaves no zombie


def is_alive(store: Store, sheet_id: int, grader_id: int) -> bool:
    """Whether a process that the app started is still there, also before its run has begun."""
    path = _said_path(store, sheet_id, grader_id)
    if not path.exists():
        return False
    with path.open("rb") as said:
        try:
            fcntl.flock(said, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def trouble(store: Store, sheet_id: int, grader_id: int) -> str:
    """What a process printed that ended before its run began; '' where none did."""
    path = _said_path(store, sheet_id, grader_id)
    if not path.exists() or is_alive(store, sheet_id, grader_id):
        return ""
    before, _, said = path.read_bytes()[:SAID_BYTES].decode(errors="replace").partition("\n")
    latest = runs.latest(store, sheet_id, grader_id)
    begun = latest and before.isdecimal() and latest["id"] > int(before)
    return "" if begun else said.strip()


def command(db: str, argument: str, sheet: str, options: Options) -> list[str]:
    """The command line that does the same."""
    given = {
        "sheet": sheet,
        "model": options.model,
        "base-url": options.base_url,
        "rubric": options.rubric,
        "concurrency": options.concurrency,
        "repeat": options.repeats,
        "limit": options.limit,
        "budget": options.budget,
    }
    named = [f"--{key}={value}" for key, value in given.items() if value is not None]
    flags = ("retry-unscored", "batch", "cancel-batch")
    chosen = [f"--{flag}" for flag in flags if getattr(options, flag.replace("-", "_"))]
    judge = str(Path(argument).resolve()) if argument.endswith(".toml") else argument
    base = [sys.executable, str(CLI), "--db", str(Path(db).resolve()), "judge"]
    return [*base, *named, *chosen, "--yes", "--", judge]


def _lock(said: BinaryIO) -> bool:
    """Take the lock, which the process then holds; tried for a moment, since `is_alive` asks."""
    for _ in range(LOCK_TRIES):
        try:
            fcntl.flock(said, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            time.sleep(LOCK_PAUSE_S)
    return False


def _said_path(store: Store, sheet_id: int, grader_id: int) -> Path:
    return Path(f"{store.path}-run-{sheet_id}-{grader_id}.log")
