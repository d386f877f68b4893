"""Files that take a while to make, made once for all test processes that run at the same time."""

import fcntl
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from concord.rubrics.model import Rubric
from concord.store.database import Store
from concord.store.rubrics import rubric_versions


def folder(temporary: pytest.TempPathFactory) -> Path:
    """A folder that the processes of one run of pytest share."""
    base = temporary.getbasetemp()
    found = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "made-once"
    found.mkdir(exist_ok=True)
    return found


@contextmanager
def locked(file: Path) -> Iterator[None]:
    """Only one process at a time makes or looks for the file."""
    with file.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def copied(made: Path, store: Store) -> Rubric:
    """Make an open store a copy of a database; the rubric of its grades."""
    with closing(sqlite3.connect(made)) as source:
        source.backup(store.connection)
    return rubric_versions.named(store, "doc-qa-0-3")[1]
