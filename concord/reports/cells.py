"""Write one cell of a table: a share, a number, a difference or a price, with its interval."""

import math
from collections.abc import Callable, Iterable

from concord.messages import capital, message_of, said
from concord.reports.document import Cell, Kind, Table
from concord.stats.core.estimate import Estimate

_NOISE = 1e-12  # rounding of a variance that is 0
UNDEFINED = "—"


def written(cell: Cell, kind: Kind) -> str | int:
    """Return the cell as text; a count stays a whole number, so that it is aligned as one.

    What is undefined is a dash; a text keeps its message, so that it can be shown in another
    language.
    """
    if cell is None:
        return UNDEFINED
    if isinstance(cell, Estimate):
        return _estimate(cell, kind)
    # A message in a column of numbers says why there is none.
    write = None if isinstance(cell, str) else _WRITERS.get(kind)
    return write(float(cell)) if write else message_of(cell)


def _precise(value: float) -> str:
    """A number with four digits, or all before its point, and without an exponent."""
    if abs(value) < _NOISE:
        return "0"
    decimals = max(0, 3 - math.floor(math.log10(abs(value))))
    text = f"{value:,.{decimals}f}"
    return text.rstrip("0").rstrip(".") if decimals else text


def rounded_up(share: float) -> str:
    """Return an upper bound in percent with at most one decimal, never below what it is."""
    # The tolerance absorbs rounding errors: 0.01 + 0.05 is a little above 0.06, yet not 6.1%.
    return f"{math.ceil(1000 * share - 1e-9) / 10:g}%"


def _estimate(estimate: Estimate, kind: Kind) -> str:
    """An estimate with its interval, as `83% [77, 88]`, `-1.2 [-6.9, +4.4]` or `0.64`."""
    if estimate.value is None:
        return UNDEFINED
    value = _end(kind)(estimate.value) + ("%" if kind == "share" else "")
    return value if estimate.low is None else f"{value} {interval(estimate, kind)}"


def interval(estimate: Estimate, kind: Kind) -> str:
    """Return the interval of an estimate, as `[77, 88]`; a dash where it has none."""
    if estimate.low is None:
        return UNDEFINED
    write = _end(kind)
    return f"[{write(estimate.low)}, {write(estimate.high)}]"


def p_value(p: float) -> str:
    """Return a p-value with three decimals, or `< 0.001`."""
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def shown(table: Table) -> tuple[list[str], list[list[str | int]]]:
    """Return the heads of a table and its cells as text, row by row.

    Columns without a value in any row are left out, and those that `constants` says.
    """
    rows, apart = _written_rows(table), _constant_places(table)
    places = [
        place
        for place in range(len(table.columns))
        if place not in apart
        and (not rows or not place or {row[place] for row in rows} - {UNDEFINED, ""})
    ]
    heads = [table.columns[place].title for place in places]
    rows = [[row[place] for place in places] for row in rows]
    rows = [list(line) for line in zip(*map(_alike, zip(*rows, strict=True)), strict=True)]
    if not table.across:
        return heads, rows
    # A column of the screen then holds figures of every kind, which are texts.
    rows = [[_as_text(cell) for cell in line] for line in rows]
    (corner, *figures), (names, *lines) = heads, zip(*rows, strict=True)
    return [corner, *map(str, names)], [[f, *line] for f, line in zip(figures, lines, strict=True)]


def constants(table: Table) -> str:
    """Return the texts and counts that are the same in every row of several, as `answers: 120`."""
    heads_and_cells = (
        f"{table.columns[place].title}: {_as_text(cell)}"
        for place, cell in _constant_places(table).items()
    )
    return " · ".join(heads_and_cells)


def _constant_places(table: Table) -> dict[int, str | int]:
    rows = _written_rows(table)
    if len(rows) < 2:
        return {}
    return {
        place: rows[0][place]
        for place, column in enumerate(table.columns)
        if place
        and column.kind in ("text", "count")
        and rows[0][place] not in (UNDEFINED, "")
        and all(row[place] == rows[0][place] for row in rows)
    }


def _written_rows(table: Table) -> list[list[str | int]]:
    kinds = [column.kind for column in table.columns]
    return [[written(*cell) for cell in zip(row, kinds, strict=True)] for row in table.rows]


def _alike(column: tuple[str | int, ...]) -> tuple[str | int, ...]:
    """Counts as text where a text is among them, since a column has one type."""
    if all(isinstance(cell, int) for cell in column):
        return column
    return tuple(map(_as_text, column))


def _as_text(cell: str | int) -> str:
    return f"{cell:,}" if isinstance(cell, int) else cell


def reasons(found: Iterable[str | None]) -> tuple[str, ...]:
    """Return reasons as sentences, each once; None and '' are no reason."""
    return tuple(said("{why}.", why=capital(why)) for why in dict.fromkeys(filter(None, found)))


def undefined(table: Table) -> tuple[str, ...]:
    """Return why estimates of a table lack a value or a CI, each reason once."""
    cells = (cell for row in table.rows for cell in row)
    return reasons(cell.why_none for cell in cells if isinstance(cell, Estimate))


def plain_share(value: float | None) -> str:
    """A share in percent that comes without an interval, as `83%`."""
    return UNDEFINED if value is None else f"{percent(value)}%"


def scores(given: Iterable[float | None]) -> str:
    """Return scores in a row; a dash is a reply without one."""
    return ", ".join("–" if score is None else f"{score:g}" for score in given)


def percent(value: float) -> str:
    """Whole percent; 0 and 100 only where it is exactly that."""
    rounded = f"{100 * value:.0f}"
    if rounded == "100" and value < 1:
        return ">99"
    return "<1" if rounded == "0" and value > 0 else rounded


def _points(value: float) -> str:
    rounded = f"{100 * value:+.1f}"
    return "0.0" if rounded in ("+0.0", "-0.0") else rounded


def _fixed(form: str) -> Callable[[float], str]:
    # Rounded first, and 0.0 added, so that -0.001 is 0.00, not -0.00.
    return lambda value: format(float(format(value, form)) + 0.0, form)


_WRITERS: dict[str, Callable[[float], str]] = {
    "share": plain_share,
    "bound": rounded_up,
    "points": _points,
    "number": _fixed(".2f"),
    "value": _fixed(".3f"),
    "precise": _precise,
    "difference": _fixed("+.2f"),
    "p": p_value,
    "usd": lambda value: f"${value:,.2f}" if value >= 0.0995 or value == 0 else f"${value:.2g}",
}


def _end(kind: Kind) -> Callable[[float], str]:
    """Return how a value and the ends of its interval are written."""
    if kind == "share":
        return percent
    return _WRITERS[kind if kind in ("points", "difference", "value") else "number"]
