"""Log limit: a fault is logged a few times an hour, so that nobody can fill the log with it.

Before sign-in, too, a message may be malformed, and Streamlit logs a traceback for each. What is
counted is the line of code that logs, with the one that raised: these are few, whatever is sent.
"""

import logging
import time

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
