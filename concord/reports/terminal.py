"""Render a document as text for a terminal."""

import re
from collections.abc import Iterable, Sequence

from concord.reports.cells import UNDEFINED, constants, shown
from concord.reports.document import Document, Table
from concord.text.display import visible, width

_GAP = "  "


def text(document: Document) -> str:
    """Return the headline, facts and notes as lines and the tables as aligned columns."""
    parts = ["\n".join(filter(None, (document.headline, *document.facts)))]
    parts += [table_text(one) for one in document.tables if one.rows]
    parts += ["\n".join(filter(None, document.notes)), document.provenance]
    return "\n\n".join(filter(None, map(_harmless, parts)))


def table_text(one: Table) -> str:
    """Return a table as aligned columns under its title, with what all its rows share."""
    title = " · ".join(filter(None, (one.title, constants(one))))
    return "\n".join(filter(None, (title, table(*shown(one)))))


def table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return columns of equal width under their heads; numeric columns are right-aligned.

    Wide letters (Chinese, Japanese, Korean, emoji) count two columns, combining marks none.
    """
    cells = [[_shown(cell) for cell in row] for row in rows]
    columns = list(zip(list(heads), *cells, strict=True))
    widths = [max(map(width, column)) for column in columns]
    right = [all(_is_number(cell) for cell in column[1:]) for column in columns]
    lines = [
        _GAP.join(_padded(*cell) for cell in zip(line, widths, right, strict=True)).rstrip()
        for line in [list(heads), *cells]
    ]
    return "\n".join(lines)


def _shown(cell: object) -> str:
    if isinstance(cell, int):
        return f"{cell:,}"
    return UNDEFINED if cell is None else _harmless(" ".join(str(cell).split()))


def _harmless(text: str) -> str:
    """Return a text of strangers with nothing in it that a terminal obeys."""
    return _OBEYED.sub("�", visible(text))


# Control characters, and those that turn the direction of writing.
_OBEYED = re.compile("[\r\x80-\x9f\u202a-\u202e\u2066-\u2069]")


def _is_number(cell: str) -> bool:
    return cell == UNDEFINED or cell.replace(",", "").replace(".", "").isdigit()


def _padded(cell: str, wanted: int, right: bool) -> str:
    blank = " " * (wanted - width(cell))
    return blank + cell if right else cell + blank
