"""How much work something is, counted instead of timed: the same on every machine."""

import sqlite3
import sys
from collections.abc import Callable
from typing import Any

EVERY = 100


def calls(what: Callable[[], Any]) -> int:
    """How many functions are called on the way, of Python's own too; in this thread only."""
    called = 0

    def note(_frame: object, event: str, _argument: object) -> None:
        nonlocal called
        called += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        what()
    finally:
        sys.setprofile(None)
    return called


class Database:
    """Counts what SQLite does over the connections made from here on, in hundreds of its steps."""

    def __init__(self, monkeypatch: Any):
        self.steps, connect = 0, sqlite3.connect

        def counted(*values: Any, **named: Any) -> sqlite3.Connection:
            made = connect(*values, **named)
            made.set_progress_handler(self._note, EVERY)
            return made

        monkeypatch.setattr(sqlite3, "connect", counted)

    def _note(self) -> None:
        self.steps += 1
