"""The power of a plan, simulated once per process for whoever asks for the same again.

It is a function of its arguments alone, the seed among them, and takes seconds. Every run of a
screen and every command asks anew.
"""

import hashlib
import pickle
from collections.abc import Callable

_FOUND: dict[bytes, object] = {}


def once(function: Callable) -> Callable:
    """The function, which computes each result once."""

    def asked(*arguments):
        key = hashlib.sha256(pickle.dumps((function.__name__, arguments))).digest()
        if key not in _FOUND:
            _FOUND[key] = function(*arguments)
        return _FOUND[key]

    return asked
