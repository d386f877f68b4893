"""Turnstile: graders' screens open a few at a time, so that a key under way waits for nobody.

A server that comes back after a failure is asked for all its graders' screens at once. Each run
of a screen gives way at every look into the database and comes on again behind all the others, so
with fifty of them under way a key, which is a run too, took seconds. Now it waits for two.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import BoundedSemaphore

AT_ONCE = 2
PATIENCE_S = 10  # then a screen opens all the same: a turn is a courtesy, not a lock
_turns = BoundedSemaphore(AT_ONCE)


@contextmanager
def turnstile(closed: bool) -> Iterator[None]:
    """Take turns with other screens that only grade; whoever sees reports waits for nobody."""
    has_turn = closed and _turns.acquire(timeout=PATIENCE_S)
    try:
        yield
    finally:
        if has_turn:
            _turns.release()
