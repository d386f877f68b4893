"""Place: where the runs of one judge over one sheet stand, or those of one asker.

A run holds its place's lock, which dies with its process: a takeover after a crash is immediate,
and nothing is asked by two at once.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from data import runs
from data.store import Row, Store, file_lock
from problems import Problem
from rubrics.model import digest
from words.said import said

LOCK_TRIES, LOCK_PAUSE_S = 10, 0.05
DIED = said("The process ended before the run did. Run it again: it goes on where it was.")


class Place(NamedTuple):
    """`lock` and `log` name files beside the database.

    `held` are the columns that tell the runs which the lock is for, `shown` those of the runs that
    are shown together.
    """

    lock: str
    log: str
    held: dict[str, Any]
    shown: dict[str, Any]

    def newest(self, store: Store) -> Row | None:
        """The newest of the runs that are shown together."""
        return runs.newest(store, **self.shown)

    def log_path(self, store: Store) -> Path:
        """What a process says that is to run here."""
        return Path(f"{store.path}-{self.log}.log")

    def lock_path(self, store: Store) -> Path:
        """What a run holds."""
        return Path(f"{store.path}-{self.lock}.lock")


def of_judge(sheet_id: int, grader_id: int) -> Place:
    """Where a judge's runs over a sheet stand."""
    name, of = f"run-{sheet_id}-{grader_id}", {"sheet_id": sheet_id, "grader_id": grader_id}
    return Place(name, name, of, of)


def of_asker(asker: str, sheet_name: str) -> Place:
    """Where an asker's runs for a sheet stand; it asks for one sheet at a time."""
    name, of = f"ask-{asker}", {"asker": asker}
    return Place(name, f"{name}-{digest(sheet_name)}", of, {**of, "sheet_name": sheet_name})


def is_running(store: Store, place: Place) -> bool:
    """Whether a process is at work here; a dead one's run is closed."""
    latest = place.newest(store)
    if latest is None or latest["status"] != "running":
        return False
    with file_lock(place.lock_path(store), wait=False) as free:
        if free:
            runs.interrupt(store, DIED, **place.held)
        return not free


@contextmanager
def locked(store: Store, place: Place, busy: str) -> Iterator[None]:
    """Hold the lock; a Problem that says `busy` where another process does."""
    with _tried(store, place) as free:
        if not free:
            raise Problem(busy)
        runs.interrupt(store, DIED, **place.held)
        yield


def is_held(store: Store, place: Place) -> bool:
    """Whether a process holds the lock, on record or not yet."""
    with _tried(store, place) as free:
        return not free


@contextmanager
def _tried(store: Store, place: Place) -> Iterator[bool]:
    """Hold the lock where it is free; yields whether it is.

    Tried for a moment, since whoever asks `is_running` holds it for an instant.
    """
    for _ in range(LOCK_TRIES):
        with file_lock(place.lock_path(store), wait=False) as free:
            if free:
                yield True
                return
        time.sleep(LOCK_PAUSE_S)
    yield False
