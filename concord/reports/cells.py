"""Write one cell of a table: a share, a number, a difference or a price, with its interval."""

import math

from concord.reports.document import Cell, Kind, Table
from concord.reports.panel.terminal_tables import UNDEFINED, number, plain_share, points, share
from concord.stats.core.estimate import Estimate

_NOISE = 1e-12  # rounding of a variance that is 0


def written(cell: Cell, kind: Kind) -> str | int:
    """Return the cell as text; a count stays a whole number, so that it is aligned as one.

    What is undefined is a dash; a text keeps its message, so that it can be shown in another
    language.
    """
    if cell is None:
        return UNDEFINED
    if isinstance(cell, Estimate):
        return _estimate(cell, kind)
    match kind:
        case "share":
            return plain_share(float(cell))
        case "bound":
            return rounded_up(float(cell))
        case "points":
            return points({"value": float(cell), "low": None})
        case "number":
            return f"{float(cell):.2f}"
        case "precise":
            return f"{0.0 if abs(cell) < _NOISE else float(cell):.4g}"
        case "difference":
            return f"{round(float(cell), 2) + 0.0:+.2f}"
        case "p":
            return p_value(float(cell))
        case "usd":
            return f"${float(cell):,.2f}" if cell >= 0.1 or cell == 0 else f"${float(cell):.2g}"
    return cell


def rounded_up(share: float) -> str:
    """Return an upper bound in percent with at most one decimal, never below what it is."""
    return f"{math.ceil(1000 * share - 1e-9) / 10:g}%"


def _estimate(estimate: Estimate, kind: Kind) -> str:
    if kind == "share":
        return share(estimate._asdict())
    if kind == "points":
        return points(estimate._asdict())
    return number(estimate._asdict(), "+" if kind == "difference" else "")


def p_value(p: float) -> str:
    """Return a p-value with three decimals, or `< .001`."""
    return "< .001" if p < 0.001 else f"{p:.3f}"


def shown(table: Table) -> tuple[list[str], list[list[str | int]]]:
    """Return the heads of a table and its cells as text, row by row."""
    heads = [column.title for column in table.columns]
    rows = [
        [written(cell, column.kind) for cell, column in zip(row, table.columns, strict=True)]
        for row in table.rows
    ]
    if not table.across:
        return heads, rows
    (corner, *figures), (names, *lines) = heads, zip(*rows, strict=True)
    known = [[head, *line] for head, line in zip(figures, lines, strict=True)]
    return [corner, *names], [line for line in known if set(line[1:]) - {UNDEFINED, ""}]
