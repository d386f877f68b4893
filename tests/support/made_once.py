"""Files that take a while to make, made once for all test processes that run at the same time."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


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
