"""Locks of runs: one for each judge and sheet, or each model asked for drafts or answers.

A run holds a file lock that is released when its process ends: a takeover after a crash is
immediate, and nothing is asked by two processes at once. A request is sent once, whatever sheets
hold the answer and whichever rule reads the reply: of two runs that send the same requests and have
the same answers left to ask, the second is refused.
"""

import time
from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from concord.definitions import digest
from concord.messages import Problem, counted
from concord.model import Sheet
from concord.store import graders, items, runs, sheets
from concord.store.database import Row, Store, file_lock

LOCK_TRIES, LOCK_PAUSE_S = 10, 0.05
DIED = "The process ended before the run did. Run it again: it resumes where it stopped."


def silent(_: object) -> None:
    """Notify no one."""


class RunLocation(NamedTuple):
    """Location of the runs of one judge or model: lock file, log file and rows.

    `lock` and `log` name files next to the database. `held` are the columns that identify the runs
    the lock is for, `shown` those of the runs shown together.
    """

    lock: str
    log: str
    held: dict[str, Any]
    shown: dict[str, Any]

    def newest(self, store: Store) -> Row | None:
        """The newest of the runs that are shown together; None without one."""
        return runs.newest(store, **self.shown)

    def log_path(self, store: Store) -> Path:
        """The file for the error output of a process."""
        return Path(f"{store.path}-{self.log}.log")

    def lock_path(self, store: Store) -> Path:
        """The file that a run locks."""
        return Path(f"{store.path}-{self.lock}.lock")


def of_judge(sheet_id: int, grader_id: int) -> RunLocation:
    """The place of a judge's runs over a sheet."""
    name, of = f"run-{sheet_id}-{grader_id}", {"sheet_id": sheet_id, "grader_id": grader_id}
    return RunLocation(name, name, of, of)


def of_asker(asker: str, sheet_name: str) -> RunLocation:
    """The place of a model's runs for a sheet; a model is asked for one sheet at a time."""
    name, of = f"ask-{asker}", {"asker": asker}
    return RunLocation(name, f"{name}-{digest(sheet_name)}", of, {**of, "sheet_name": sheet_name})


def is_running(store: Store, place: RunLocation) -> bool:
    """Tell if a process is running here; the run of a dead process is closed."""
    latest = place.newest(store)
    if latest is None or latest["status"] != "running":
        return False
    with file_lock(place.lock_path(store), wait=False) as free:
        # The lock is free although the run is unfinished: its process died.
        if free:
            runs.interrupt(store, DIED, **place.held)
        return not free


def close_dead(store: Store, sheet_id: int) -> None:
    """Close the runs of judges over a sheet whose process has died, so that none seems to run."""
    for run in runs.unfinished(store):
        if run["sheet_id"] == sheet_id:
            is_running(store, of_judge(sheet_id, run["grader_id"]))


@contextmanager
def locked(store: Store, place: RunLocation, busy: str) -> Iterator[None]:
    """Hold the lock; raise a Problem with the text `busy` if another process does."""
    with _tried(store, place) as free:
        if not free:
            raise Problem(busy)
        # Only the holder of the lock may close runs as dead; anyone else could close one in
        # progress.
        runs.interrupt(store, DIED, **place.held)
        yield


@contextmanager
def _tried(store: Store, place: RunLocation) -> Iterator[bool]:
    """Hold the lock if it is free; yields whether it is.

    Retried briefly, since `is_running` holds it for an instant.
    """
    for _ in range(LOCK_TRIES):
        with file_lock(place.lock_path(store), wait=False) as free:
            if free:
                yield True
                return
        time.sleep(LOCK_PAUSE_S)
    yield False


@contextmanager
def exclusive_lock(
    store: Store, sheet: Sheet, grader_id: int, same: Collection[int], wanted: Collection[str]
) -> Iterator[None]:
    """Hold the lock of a judge and a sheet, as the only run that may ask about its contents.

    Of several that start at the same moment the first continues; runs that share no answer run
    concurrently. `same` are the ids of all judges that send the same requests, its own among them;
    `wanted` are the hashes of the contents that it may ask about.

    Raises:
        Problem: A run of this judge over this sheet is going on, or one that may ask the same.
    """
    judge = graders.get(store, grader_id).name
    busy = f"{judge} is already running on “{sheet.name}”. Wait for it, or stop it first."
    # The lock of the judges covers only the look at their runs; that of the sheet lasts for the
    # run.
    with ExitStack() as own:
        with file_lock(f"{store.path}-judge-{min(same)}.lock"):  # for a moment, so waited for
            own.enter_context(locked(store, of_judge(sheet.id, grader_id), busy))
            _must_be_alone(store, sheet, grader_id, same, wanted)
        yield


def _must_be_alone(
    store: Store, sheet: Sheet, grader_id: int, same: Collection[int], wanted: Collection[str]
) -> None:
    """Raise a Problem where another run of `same` may ask about wanted contents."""
    # Without contents to pay for, an overlap costs nothing and is not checked.
    for other in sheets.all_sheets(store) if wanted else ():
        for one in same:
            place = of_judge(other.id, one)
            # Locking creates the file, and most sheets never had a run of this judge.
            if (other.id, one) == (sheet.id, grader_id) or not place.lock_path(store).exists():
                continue
            with _tried(store, place) as free:
                pass
            held = set() if free else {r["content_hash"] for r in items.item_index(store, other.id)}
            if number := len(held.intersection(wanted)):
                raise Problem(
                    "{judge} is already running on “{sheet}”, which shares {shared} with this run. "
                    "Wait for it or stop it first, so that nothing is paid twice.",
                    judge=graders.get(store, one).name,
                    sheet=other.name,
                    shared=counted(number, "answer"),
                )
