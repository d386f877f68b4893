"""Cells: the value of one as text, name, number or boolean, or its error."""

import json
import re
from math import isfinite, isnan
from typing import Any, NamedTuple

from concord.messages import said

# Levels of lists and objects in one cell, and the length of a whole number in them.
_DEPTH = 100
_BITS = 10_000
_BOOLEAN = re.compile("(1|true|yes|y|t)|0|false|no|n|f", re.IGNORECASE)
_POSITIVE = re.compile(r"(0*[1-9][0-9]{0,8})(\.0)?")


class Damaged(NamedTuple):
    """A cell whose value cannot be known, and why."""

    problem: str


# Text as the file gives it; a list or dict from JSON or Parquet; None where there is no cell.
Cell = str | list | dict | None | Damaged


class BadCell(ValueError):
    """A cell that cannot be taken: its text is the problem with the remedy; `column` names it.

    The text is a message like that of `said`, with `values`.
    """

    def __init__(self, problem: str, column: str | None = None, /, **values: Any):
        super().__init__(said(problem, **values))
        self.column = column


def text(cell: Cell) -> str:
    """Return the unchanged text; '' without a cell."""
    if cell is None:
        return ""
    if isinstance(cell, Damaged):
        raise BadCell(cell.problem)
    if not isinstance(cell, str):
        raise BadCell(
            "it contains a list or an object. Write plain text, or map another column.",
            fault_code="not_text",
        )
    if "\0" in cell:
        raise BadCell(
            "it contains a NUL character. Remove it, or check the file's encoding.",
            fault_code="nul",
        )
    if not cell.isascii():
        try:
            cell.encode()
        except UnicodeEncodeError:
            raise BadCell(
                "it contains an unpaired surrogate, half of a character. Remove it.",
                fault_code="surrogate",
            ) from None
    return cell


class Spelled(str):
    """A number of JSON as it is spelled in the file, so that 007.0 or 1e3 is not respelled."""


def nested(value: Any, depth: int = _DEPTH) -> Any:
    """The value with nothing in it but what JSON holds: NaN as null, spelled numbers as numbers.

    Raises:
        BadCell: It is nested too deeply, or holds too long a number or something damaged.
    """
    kind = type(value)
    if kind is str or value is None or kind is bool:
        return value
    if kind is Damaged:
        raise BadCell(value.problem)
    if isinstance(value, list | tuple | dict):
        if not depth:
            raise BadCell(
                "it is nested too deeply. Write one flat object per row.", fault_code="too_deep"
            )
        if isinstance(value, dict):
            return {str(key): nested(part, depth - 1) for key, part in value.items()}
        return [nested(part, depth - 1) for part in value]
    if kind is Spelled and value.lstrip("-").isdecimal():
        # Eighteen digits fit 64 bits, as SQLite and Parquet store them.
        return int(value) if len(value) <= 18 else str(value)
    if kind is Spelled or kind is float:
        number = float(value)
        return number if isfinite(number) else None if isnan(number) else str(value)
    if not isinstance(value, int):
        return str(value)
    if value.bit_length() > _BITS:
        raise BadCell(
            "it contains a number with thousands of digits. Write it as text.",
            fault_code="too_long_number",
        )
    return value


def of(value: Any) -> Cell:
    """A value of JSON or Parquet as a cell: numbers as text, null and NaN as no cell."""
    if value is None or type(value) is str or isinstance(value, Damaged):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | dict):
        try:
            return nested(value)
        except BadCell as fault:
            return Damaged(fault.args[0])
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError:
            return no_text("bytes that are not UTF-8")
    if isinstance(value, float) and isnan(value):
        return None
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def no_text(what: str) -> Damaged:
    """A cell that holds something that has no text."""
    return Damaged(
        said(
            "the cell contains a value that is no text ({what}). Store the column as text.",
            what=what,
            fault_code="not_text",
        )
    )


def name(cell: Cell) -> str | None:
    """Return an id or a name without surrounding white space; None for a blank cell."""
    return text(cell).strip() or None


def _match(cell: Cell, pattern: re.Pattern, problem: str, code: str) -> re.Match | None:
    """The match of all of a cell; None for a blank one, a BadCell for any other."""
    word = text(cell).strip()
    match = pattern.fullmatch(word)
    if word and not match:
        problem = f"“{{word}}” {problem}. Correct it, or leave it empty."
        raise BadCell(problem, word=excerpt(word), fault_code=code)
    return match


def boolean(cell: Cell) -> bool | None:
    """1, true, yes or 0, false, no in any case; None where the cell is blank."""
    found = _match(cell, _BOOLEAN, "is neither yes (1) nor no (0)", "not_yes_or_no")
    return bool(found[1]) if found else None


def positive(cell: Cell) -> int:
    """A whole number from 1; 1 where the cell is blank."""
    return number(cell) or 1


def number(cell: Cell) -> int | None:
    """A whole number from 1; None where the cell is blank."""
    problem = "is not a whole number from 1 to 999,999,999"
    found = _match(cell, _POSITIVE, problem, "not_positive")
    return int(found[1]) if found else None


def is_blank(cell: Cell) -> bool:
    """True for a cell that is empty but for white space."""
    return cell is None or (isinstance(cell, str) and not cell.strip())


def shown(cell: Cell) -> str:
    """The cell as a preview shows it."""
    if isinstance(cell, Damaged):
        return f"({cell.problem})"
    if isinstance(cell, list | dict):
        return json.dumps(cell, ensure_ascii=False, default=str)
    return cell or ""


def excerpt(word: str) -> str:
    """A word as a message quotes it: its first 40 characters."""
    return word if len(word) <= 40 else f"{word[:40]}…"
