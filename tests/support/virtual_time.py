"""An event loop whose time is its own: where there is nothing to do but wait, the wait is over.

What is run here takes no time, and its times are exact however slow or busy the machine is. It is
for code that waits on nothing but its own timers: no server could answer in time.
"""

import asyncio
import math
import selectors
from collections.abc import Coroutine
from typing import Any


def run(what: Coroutine) -> Any:
    """As `asyncio.run`, in virtual time, which begins at 0 s."""
    with asyncio.Runner(loop_factory=_Loop) as runner:
        return runner.run(what)


class _Jumps(selectors.DefaultSelector):
    """Waits for files as any selector does, but passes over the time it was to wait at most."""

    now = 0.0

    def select(self, timeout: float | None = None) -> list:
        """What is ready; without a time-out there is no timer to jump to, so it truly waits."""
        ready = super().select(None if timeout is None else 0)
        if timeout and not ready:
            self.now += timeout
        # Time never stands still, else a timer set a hair too early would be set again for ever.
        self.now = math.nextafter(self.now, math.inf)
        return ready


class _Loop(asyncio.SelectorEventLoop):
    def __init__(self):
        self._jumps = _Jumps()
        super().__init__(self._jumps)

    def time(self) -> float:
        return self._jumps.now
