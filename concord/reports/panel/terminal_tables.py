"""Text: reports as plain tables for a terminal, aligned also where letters are twice as wide."""

import unicodedata
from collections.abc import Iterable, Sequence

from concord.messages import joined, said
from concord.text.control_characters import visible

UNDEFINED = "—"
_GAP = "  "
_NO_WIDTH = ("Mn", "Me", "Cf")


def table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Columns of equal width under their heads; columns that hold only numbers stand right.

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


def width(text: str) -> int:
    """How many columns of a terminal a text takes."""
    if text.isascii():
        return len(text)
    return sum(_columns(letter) for letter in text)


def share(estimate: dict) -> str:
    """A share with its interval in percent, as `83% [77, 88]`; without one, `83%`."""
    if estimate["value"] is None:
        return UNDEFINED
    if estimate["low"] is None:
        return f"{percent(estimate['value'])}%"
    low, high = percent(estimate["low"]), percent(estimate["high"])
    return f"{percent(estimate['value'])}% [{low}, {high}]"


def plain_share(value: float | None) -> str:
    """A share in percent that comes without an interval, as `83%`."""
    return UNDEFINED if value is None else f"{percent(value)}%"


def number(estimate: dict, sign: str = "") -> str:
    """A figure with its interval, as `0.64 [0.43, 0.85]`; `sign` is '+' to write it always."""
    if estimate["value"] is None:
        return UNDEFINED
    value = _decimal(estimate["value"], sign)
    if estimate["low"] is None:
        return value
    return f"{value} [{_decimal(estimate['low'], sign)}, {_decimal(estimate['high'], sign)}]"


def figure(estimate: dict, kind: str) -> str:
    """A statistic with its interval, as its kind is written: `share`, `number`, `difference`."""
    if kind == "share":
        return share(estimate)
    return number(estimate, "+" if kind == "difference" else "")


def points(estimate: dict) -> str:
    """A difference of shares with its interval in points, as `-1.2 [-6.9, +4.4]`."""
    if estimate["value"] is None:
        return UNDEFINED
    value = _points(estimate["value"])
    if estimate["low"] is None:
        return value
    return f"{value} [{_points(estimate['low'])}, {_points(estimate['high'])}]"


def percent(value: float) -> str:
    """Whole percent; 0 and 100 only where it is exactly that."""
    rounded = f"{100 * value:.0f}"
    if rounded == "100" and value < 1:
        return ">99"
    return "<1" if rounded == "0" and value > 0 else rounded


def _points(value: float) -> str:
    rounded = f"{100 * value:+.1f}"
    return "0.0" if rounded in ("+0.0", "-0.0") else rounded


def _decimal(value: float, sign: str) -> str:
    """Two decimals; -0.00 is 0.00."""
    rounded = round(value, 2) + 0.0
    return format(rounded, f"{sign}.2f")


def _shown(cell: object) -> str:
    if isinstance(cell, int):
        return f"{cell:,}"
    return UNDEFINED if cell is None else " ".join(visible(str(cell)).split())


def _is_number(cell: str) -> bool:
    return cell == UNDEFINED or cell.replace(",", "").replace(".", "").isdigit()


def _padded(cell: str, wanted: int, right: bool) -> str:
    blank = " " * (wanted - width(cell))
    return blank + cell if right else cell + blank


def _columns(letter: str) -> int:
    if unicodedata.category(letter) in _NO_WIDTH:
        return 0
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1


def listed(names: Sequence[str]) -> str:
    """Names as a sentence lists them: `a`, `a and b`, `a, b and c`."""
    if len(names) < 2:
        return names[0] if names else ""
    return said("{names} and {last}", names=joined(", ", names[:-1]), last=names[-1])
