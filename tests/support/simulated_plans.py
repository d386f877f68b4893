"""The power of a plan, simulated once per process, or on few sheets where nobody looks at it.

It is a function of its arguments alone, the seed among them, and takes seconds. Every run of a
screen and every command asks anew.
"""

import hashlib
import pickle
from collections.abc import Callable

import pytest

from concord.stats import planning

_FOUND: dict[bytes, object] = {}


def once(patch: pytest.MonkeyPatch) -> None:
    """Simulate nothing again that was simulated in this process."""
    for name in ("_power", "_of_pilots"):
        patch.setattr(planning, name, _remembered(getattr(planning, name)))


def few_sheets(patch: pytest.MonkeyPatch, part: int = 6) -> None:
    """Simulate on a part of the sheets, and on a quarter of those of each redrawn pilot."""
    power = planning._power

    def coarse(pool, plan, questions, sheets, seed):
        return power(pool, plan, questions, sheets // part, seed)

    patch.setattr(planning, "_power", coarse)
    patch.setattr(planning, "SHEETS_OF_EACH", 2)


def _remembered(function: Callable) -> Callable:
    def asked(*arguments):
        key = hashlib.sha256(pickle.dumps((function.__name__, arguments))).digest()
        if key not in _FOUND:
            _FOUND[key] = function(*arguments)
        return _FOUND[key]

    return asked
