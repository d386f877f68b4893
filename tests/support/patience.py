"""How tests wait: for something to come about, and so long that a slow machine is no fault."""

import time
from collections.abc import Callable
from typing import Any

PATIENT_S = 240


def until(holds: Callable[[], Any], seconds: float = PATIENT_S) -> None:
    """Wait until something holds; AssertionError where it does not come about."""
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "it did not come about"
        time.sleep(0.01)
