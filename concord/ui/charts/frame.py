"""The frame of every chart: its title, which wraps on narrow screens, and its margins."""

from collections.abc import Sequence
from html import escape
from textwrap import wrap
from typing import Any

import plotly.graph_objects as go

from concord.stats.core.estimate import Estimate
from concord.text.display import width
from concord.ui import style
from concord.ui.language import say


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


_LINE = 40  # columns of a title that fit a window of 390 pixels; a wide letter takes two


def title_height(title: str) -> int:
    """The pixels a title takes, in the language of who reads it."""
    return 20 * len(wrapped(say(title))) + (8 if title else 0)


def framed(
    chart: go.Figure,
    title: str,
    inner: int,
    head: int,
    foot: int,
    legend: bool = False,
    **layout: Any,
) -> go.Figure:
    """Return a chart of `inner` pixels in the house style, its title above it.

    `head` pixels lie between title and plot, `foot` below; `layout` is what else it has.
    """
    top = head + title_height(title)
    margin = {"t": top, "b": foot, "l": 18, "r": 18}
    return titled(chart, title, top + inner + foot, showlegend=legend, margin=margin, **layout)


def titled(chart: go.Figure, title: str, height: int, **layout: Any) -> go.Figure:
    """Return a chart of `height` pixels in the house style, its title in the top left corner."""
    if not title:
        return style.styled(chart, height, **layout)
    corner = {
        "text": "<br>".join(map(escape, wrapped(say(title)))),
        "font": {"size": 14},
        "x": 0,
        "xref": "container",
        "xanchor": "left",
        "y": 1 - 18 / height,
        "yref": "container",
        "yanchor": "top",
        "pad": {"t": 0, "l": 4},
    }
    return style.styled(chart, height, title=corner, **layout)


def wrapped(title: str) -> list[str]:
    """Break a title into lines of at most `_LINE` columns."""
    wide = width(title) > len(title)
    return wrap(title, _LINE // 2 if wide else _LINE)
