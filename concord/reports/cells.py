"""Write one cell of a table: a share, a number, a difference or a price, with its interval."""

import math

from concord.reports.document import Cell, Kind
from concord.reports.panel.terminal_tables import UNDEFINED, number, plain_share, share
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
            return points(float(cell))
        case "number":
            return f"{float(cell):.2f}"
        case "precise":
            return f"{0.0 if abs(cell) < _NOISE else float(cell):.4g}"
        case "difference":
            return f"{round(float(cell), 2) + 0.0:+.2f}"
        case "usd":
            return f"${float(cell):,.2f}"
    return cell


def rounded_up(share: float) -> str:
    """Return an upper bound in percent with at most one decimal, never below what it is."""
    return f"{math.ceil(1000 * share - 1e-9) / 10:g}%"


def points(difference: float) -> str:
    """Return a difference of shares in points, as `+4.4`; never `-0.0`."""
    rounded = f"{100 * difference:+.1f}"
    return "0.0" if rounded in ("+0.0", "-0.0") else rounded


def _estimate(estimate: Estimate, kind: Kind) -> str:
    if kind == "share":
        return share(estimate._asdict())
    if kind == "points":
        limits = [points(one) for one in estimate[:3] if one is not None]
        return "{} [{}, {}]".format(*limits) if len(limits) == 3 else "".join(limits) or UNDEFINED
    return number(estimate._asdict(), "+" if kind == "difference" else "")
