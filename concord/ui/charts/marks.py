"""Marks of charts: an estimate with its interval, and the names of rows."""

from collections.abc import Sequence
from html import escape
from typing import Any

import plotly.graph_objects as go

from concord.stats.core.estimate import Estimate
from concord.ui import style


def rows_of_names(
    names: Sequence[str | Sequence[str]], notes: Sequence[dict] = ()
) -> dict[str, Any]:
    """The layout of names above their rows, inside the plot, so that long ones take no width of it.

    A name that is a list has as many lines. They are notes and not tick labels, since those would
    hide the labels of the other axis. `notes` are others on the chart.
    """
    axis = {"tickvals": list(range(len(names))), "showticklabels": False, "fixedrange": True}
    axis["range"] = [-0.6, len(names) - 0.4]
    clear = {"xshift": 12, "yshift": 7}  # of a line at 0, and of the marker
    left = {"align": "left", "xanchor": "left", "yanchor": "bottom", "xref": "x domain"} | clear
    labels = [
        style.words(
            0, row, "<br>".join(map(escape, [name] if isinstance(name, str) else name)), **left
        )
        for row, name in enumerate(reversed(names))
    ]
    return {"yaxis": axis, "annotations": [*notes, *labels]}


def mark(found: Estimate, y: float, marker: dict, name: str, hover: str) -> go.Scatter:
    """An estimate as a marker in its row, with its interval in the colour of the marker."""
    return go.Scatter(
        x=[found.value],
        y=[y],
        error_x=error_bars(found, marker["color"]),
        marker=marker,
        mode="markers",
        name=name,
        hovertemplate=f"{hover}<extra></extra>",
    )


def error_bars(found: Estimate, colour: str) -> dict[str, Any]:
    """Error bars of an estimate; of no length where it has no interval."""
    low, high = (found.value if end is None else end for end in (found.low, found.high))
    return {
        "type": "data",
        "symmetric": False,
        "array": [high - found.value],
        "arrayminus": [found.value - low],
        "color": colour,
        "thickness": 2,
        "width": 5,
    }
