"""Concurrency limit: graders' screens open a few at a time, so that keypresses are not delayed.

A server that restarts gets requests for all its graders' screens at once. Each script run yields at
every database query and resumes behind all the others, so with fifty of them a keypress, which is a
script run too, took seconds. With the limit it waits for two.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import BoundedSemaphore

AT_ONCE = 2
PATIENCE_S = 10  # then a screen opens all the same: a turn is a courtesy, not a lock
_turns = BoundedSemaphore(AT_ONCE)


@contextmanager
def limited(closed: bool) -> Iterator[None]:
    """Take turns with other screens that only grade; screens with reports do not wait."""
    # Reports never wait: one of them may take longer than any turn.
    has_turn = closed and _turns.acquire(timeout=PATIENCE_S)
    try:
        yield
    finally:
        if has_turn:
            _turns.release()
