"""Heap: what modules brought stays out of the search for garbage that follows every run.

Streamlit collects garbage after each run of a script or fragment and looks at every object for it,
those of all loaded modules too: two thirds of the work of a key press. Those are never garbage.
"""

import gc
import sys

_known = 0


def settle() -> None:
    """Set aside all that is there, where modules were loaded since the last time."""
    global _known
    if len(sys.modules) != _known:
        _known = len(sys.modules)
        gc.collect()
        gc.freeze()
