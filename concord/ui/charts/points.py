"""Draw a figure of judges against a price or a time.

The axis is logarithmic, which has no position for zero or unknown: free judges are in a column of
their own on the left, those without a known price in one on the right.
"""

from collections.abc import Sequence
from html import escape
from math import ceil, floor, log10

import plotly.graph_objects as go

from concord.reports.charts import Line, Point, Points
from concord.ui import style
from concord.ui.charts.frame import error_bars
from concord.ui.language import say, word

COLOURS = {"good_enough": "#009E73", "not": "#D55E00", "cannot_tell": "#7A8087"}
_HEIGHT, _LINES = 460, 40  # pixels: of the chart, of a judge in the legend
_STEP, _COLUMN = 0.1, 0.25  # between judges of one price, and of all of them, as shares of the axis
_GREY = {"color": style.CONSTANT.colour, "width": 2}
_LIMIT = _GREY | {"width": 1, "dash": "dot"}
_LEVELS = {
    "constant": _GREY,
    "annotators": style.CEILING | {"color": style.ANNOTATORS.colour, "width": 2},
}


def draw(of: Points) -> go.Figure:
    """Draw a point per judge, coloured by its verdict, with what judges are compared with."""
    marks = columns([point.x for point in of.points])
    places = apart(marks)
    chart = go.Figure()
    # The levels that judges are compared with, and the limit that was fixed.
    upper = max((line.found.value for line in of.lines), default=None)
    for line in of.lines:
        # One label above its line and the other below: the two may be almost equal.
        side = "top" if line.found.value == upper else "bottom"
        _across(chart, line, _LEVELS[line.of], side, "left")
    if of.limit:
        _across(chart, of.limit, _LIMIT, "bottom", "right")
    for number, (point, x) in enumerate(zip(of.points, places, strict=True)):
        _point(chart, point, x, style.look(number).symbol)
    _axis(chart, of, marks)
    chart.update_yaxes(range=_ends(of), fixedrange=True, title=say(of.up))
    if of.kind != "points":
        chart.update_yaxes(tickvals=[n / 5 for n in range(-5, 6)])
    if of.kind == "share":
        chart.update_yaxes(tickformat=".0%")
    height = _HEIGHT + _LINES * len(of.points)
    legend = {"orientation": "v", "yanchor": "top", "y": -0.22, "x": 0, "xanchor": "left"}
    margin = {"l": 8, "r": 12, "t": 16, "b": 8}
    look = {"showlegend": True, "hovermode": "closest", "legend": legend, "margin": margin}
    return style.styled(chart, height, **look)


def columns(values: Sequence[float | None]) -> list[float]:
    """Return the x position of each value, in decades.

    A value of 0 is left of all others, a missing one right of all.
    """
    known = [log10(value) for value in values if value]
    low, high = (min(known), max(known)) if known else (0.0, 0.0)
    margin = max(0.5, 0.3 * (high - low))
    return [
        high + margin if value is None else log10(value) if value else low - margin
        for value in values
    ]


def apart(marks: Sequence[float]) -> list[float]:
    """Return the positions with judges of one value side by side, so that none covers another."""
    width = max(0.5, _reach(marks))
    places = list(marks)
    for x in {*marks}:
        same = [place for place, one in enumerate(marks) if one == x]
        narrow = min(_STEP * width, _COLUMN * width / len(same))
        for n, place in enumerate(same):
            places[place] = x + narrow * (n - (len(same) - 1) / 2)
    return places


def _reach(places: Sequence[float]) -> float:
    return max(places, default=0.0) - min(places, default=0.0)


def _ends(of: Points) -> tuple[float, float]:
    """Ends of the y axis: around all that is drawn, from 0 and to 1 where these are near."""
    ends = [end for one in of.points for end in (one.found.value, one.found.low, one.found.high)]
    ends += [line.found.value for line in (*of.lines, of.limit) if line]
    drawn = [end for end in ends if end is not None] or [0.0]
    low = min(drawn) - 0.1
    low = -0.02 if min(drawn) >= 0 and low <= 0.15 else low
    return low, 1.02 if of.kind != "points" else max(drawn) + 0.1


def _point(chart: go.Figure, point: Point, x: float, symbol: str) -> None:
    colour, name = COLOURS[point.result], escape(word(point.name))
    text = "<br>".join(map(say, point.told))
    chart.add_scatter(
        x=[x],
        y=[point.found.value],
        error_y=error_bars(point.found, colour),
        marker={
            "color": colour,
            "symbol": f"{symbol}-open" if point.reference else symbol,
            "size": 14,
            "line": {"color": colour, "width": 2.5 if point.reference else 1},
        },
        mode="markers",
        name=f"{name}<br><b style='color:{colour}'>{say(point.verdict)}</b>",
        hovertemplate=f"<b>{name}</b><br>{text}<extra></extra>",
    )


def _across(chart: go.Figure, line: Line, look: dict, *place: str) -> None:
    words = {"text": say(line.label), "font": {"size": 12}}
    at = {"layer": "below", "annotation": words, "annotation_position": " ".join(place)}
    chart.add_hline(y=line.found.value, line=look, **at)


def _axis(chart: go.Figure, of: Points, marks: Sequence[float]) -> None:
    """Ticks in round prices, and words under the columns that have none."""
    both = [(point.x, mark) for point, mark in zip(of.points, marks, strict=True)]
    texts = {tick: _round(tick, of.unit) for tick in _ticks([mark for x, mark in both if x])}
    texts |= {mark: say("free") for x, mark in both if x == 0}
    texts |= {mark: say("unknown") for x, mark in both if x is None}
    low, high = min(marks, default=0.0), max(marks, default=0.0)
    room = 0.35 * max(0.5, high - low)
    ticks = {"tickvals": list(texts), "ticktext": list(texts.values())}
    ends = {"range": [low - room, high + room], "fixedrange": True}
    chart.update_xaxes(title=say(of.across), **ends, **ticks)


def _ticks(known: list[float]) -> list[float]:
    """The decades around the values, with 3 in between where there are few."""
    if not known:
        return []
    decades = range(floor(min(known)), ceil(max(known)) + 1)
    steps = (1, 3) if len(decades) < 5 else (1,)
    ticks = [decade + log10(step) for decade in decades for step in steps]
    return [tick for tick in ticks if min(known) - 0.3 <= tick <= max(known) + 0.3]


def _round(decades: float, unit: str) -> str:
    value = 10**decades
    return word(f"${value:,.3g}" if unit == "usd" else f"{value:,.2g} s")
