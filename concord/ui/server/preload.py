"""Warm: what the first screens need is loaded before anybody opens one."""

import logging
import time
from importlib import import_module

TIMES, PER_S = 10, 3600.0
_DROPPED = -1  # below the level of every handler
_seen: dict[tuple, tuple[float, int]] = {}
_make = logging.LogRecord


def limit_log() -> None:
    """Limit what every logger of this process writes from now on."""
    # A filter would have to be added to each logger, and Streamlit makes new ones later.
    logging.setLogRecordFactory(_limited)


def _limited(*args, **more) -> logging.LogRecord:
    record = _make(*args, **more)
    place, fault = (record.pathname, record.lineno), record.exc_info and record.exc_info[2]
    while fault:
        place, fault = (*place[:2], fault.tb_frame.f_code, fault.tb_lineno), fault.tb_next
    since, times = _seen.get(place, (0.0, 0))
    if time.monotonic() - since > PER_S or not times:
        since, times = time.monotonic(), 0
    _seen[place] = since, times + 1
    if times == TIMES - 1:
        record.msg = f"{record.msg} […]"  # the last one in this hour
    elif times >= TIMES:
        record.levelno = _DROPPED
    return record


# Beside our own: what Streamlit loads at its first run, and the tables that it looks for in data.
GRADERS_NEED = (
    "concord.ui.frame",
    "concord.ui.screens.grade",
    "concord.ui.components.grading_pane",
    "pandas",
    "pyarrow",
    "plotly.graph_objects",
)


def preload() -> None:
    """Load what a grader's screen needs."""
    # Without this, the first annotators to arrive at once each waited for these imports
    # (benchmarks/team.py).
    for name in GRADERS_NEED:
        import_module(name)
