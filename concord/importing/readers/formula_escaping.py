"""Texts that a spreadsheet would run as formulas, made plain in CSV, and back.

A text that begins with one of the signs that OWASP lists gets an apostrophe before it, and so does
one that begins with apostrophes before such a sign; taking one off gives every text again. A file
that is to be read again says so in a column of its own, since elsewhere an apostrophe is text.
"""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from typing import Any

ESCAPED = "formulas_escaped"
_SIGNS = "=+\\-@\t\r\n＝＋－＠"
_FIRST = frozenset("'=+-@\t\r\n＝＋－＠")
_LIVE = re.compile(f"'*[{_SIGNS}]")
_PLAIN = re.compile(f"'+[{_SIGNS}]")


def escape(value: Any) -> Any:
    """A value as CSV holds it; numbers, also negative ones, are no texts and stay."""
    # The first character is looked up because a match takes twice as long, and cells are many.
    live = isinstance(value, str) and value[:1] in _FIRST and _LIVE.match(value)
    return f"'{value}" if live else value


def unescape(cell: str) -> str:
    """The text that `escape` was given."""
    # One apostrophe only: a text may begin with apostrophes of its own.
    return cell[1:] if _PLAIN.match(cell) else cell


def to_csv(header: Sequence[str], rows: Iterable[Sequence]) -> str:
    """A CSV file that is to be filled in and read again; it says so where a text was escaped."""
    given = [header, *rows]
    made = [[escape(value) for value in row] for row in given]
    if made != [[*row] for row in given]:
        made = [[*row, "yes" if n else ESCAPED] for n, row in enumerate(made)]
    text = io.StringIO()
    csv.writer(text).writerows(made)
    return text.getvalue()


def frame_csv(frame: Any) -> bytes:
    """A table that is downloaded to be looked at, as CSV with a byte order mark."""
    # Headings come from files as well and are run as formulas too.
    plain = frame.map(escape).rename(columns=escape)
    return plain.to_csv(index=False).encode("utf-8-sig")
