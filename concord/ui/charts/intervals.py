"""Draw estimates with their intervals in rows, compared with reference lines."""

from collections.abc import Iterator
from html import escape

import plotly.graph_objects as go

from concord.reports.cells import written
from concord.reports.charts import Intervals, Line, Mark
from concord.ui import style
from concord.ui.charts.frame import framed, mark, rows_of_names
from concord.ui.language import say, word

_ROW, _HEAD, _FOOT = 48, 60, 58
_LABELS, _BARE = 44, 40  # without a heading, with words above lines and without any
_HEADING = 0.3  # how far a heading reaches, of the width
_ABOVE, _BELOW = 0.13, 0.5  # what of a row has no name in it, up and down from its middle
_BESIDE = 0.28  # of a row, from a mark to the next one of the same row
_TICKS = (0, 0.2, 0.4, 0.6, 0.8, 1)
_FORMATS = {"share": ".0%", "difference": "+.1f", "number": ".1f"}


def draw(of: Intervals) -> go.Figure:
    """Draw every row with its marks; annotators are dashed, the majority-class baseline is grey."""
    traces, notes, named = [], [], set()
    compared = any(len(row.marks) > 1 for row in of.rows)
    for y, row in enumerate(reversed(of.rows)):
        notes.append(_value(of, row.marks[0], y))
        for place, one in enumerate(row.marks):
            if one.found.value is not None:
                first = compared and one.name not in named  # each name once in the legend
                trace = _trace(of, one, y + _BESIDE * place)
                traces.append(trace.update(showlegend=first))
                named.add(one.name)
    notes += [_label(of, line) for line in of.lines]
    if of.heading:
        notes.append(_above(None, f"<b>{escape(word(of.heading))}</b>", "left", 18, 14))
    layout = rows_of_names([word(row.name) for row in of.rows], notes)
    ticks = _TICKS if of.kind == "share" and of.reach[1] > 1 else None
    axis = {"tickformat": _FORMATS[of.kind], "tickvals": ticks, "showgrid": True}
    layout["xaxis"] = {"range": of.reach, "title": {"text": say(of.axis)}} | axis
    layout["shapes"] = [shape for line in of.lines for shape in _line(of, line)]
    head = _HEAD if of.heading else _LABELS if of.lines else _BARE
    inner = _ROW * len(of.rows) + _HEAD - head
    return framed(go.Figure(traces), of.title, inner, head, _FOOT, legend=compared, **layout)


def _at(of: Intervals, share: float) -> float:
    """The value at this share of the width."""
    low, high = of.reach
    return low + share * (high - low)


def _trace(of: Intervals, one: Mark, y: float) -> go.Scatter:
    name, figure = word(one.name), written(one.found, of.kind)
    hover = [say("{name}: {figure}, {on}", name=escape(name), figure=figure, on=one.on)]
    hover += [say(one.found.why_none)] if one.found.why_none else []
    return mark(one.found, y, style.look(one.of).marker(12), name, "<br>".join(hover))


def _value(of: Intervals, one: Mark, y: float) -> dict:
    """The value below its marker, or why it is undefined.

    A note and no text of the marker, since notes take the colour of text in any theme.
    """
    x, why = one.found.value, one.found.why_none
    if x is None:
        words = escape(say(why))
        inside = {"xanchor": "left", "yanchor": "top", "font": None}
        return style.words(_at(of, 0.02), y, words, **inside)
    side = "center" if x < _at(of, 0.87) else "right"
    below = {"xanchor": side, "yanchor": "top", "yshift": -6}
    return style.words(x, y, say(written(one.found, of.kind)), **below)


def _line(of: Intervals, line: Line) -> Iterator[dict]:
    """A line over the whole height, or in each row below its name, with its CI as a light band."""
    found, colour = line.found, style.look(line.of).colour
    if found.value is None:
        return
    look = {"color": colour, "width": 2}
    if line.of != "constant":
        look["dash"] = "5px,3px" if of.interrupted else "dash"
    for height in _heights(of):
        if found.low is not None:
            ground = {"fillcolor": colour, "opacity": 0.13, "line": {"width": 0}}
            yield {"type": "rect", "x0": found.low, "x1": found.high} | ground | height
        yield {"type": "line", "x0": found.value, "x1": found.value, "line": look} | height


def _heights(of: Intervals) -> Iterator[dict]:
    if not of.interrupted:
        yield {"yref": "y domain", "y0": 0, "y1": 1, "layer": "below"}
        return
    for row in range(len(of.rows)):
        yield {"y0": row - _BELOW, "y1": row + _ABOVE, "layer": "below"}


def _label(of: Intervals, line: Line) -> dict:
    """The words above a line, kept inside the chart and clear of the heading."""
    found, words = line.found, say(line.label)
    if found.value is None and of.heading:
        return _above(_at(of, 0.99), words, "right", 18, 12, say(found.why_none))
    if found.value is None:
        return _above(None, words, "left", 6, 12)
    interval = "" if found.low is None else word(written(found, of.kind))
    x, up, edge = found.value, 6, 0.5
    if line.of == "constant":
        up, edge = 2, 0.75 if of.heading else 0.5
    elif of.heading:
        x, up, edge = max(x, _at(of, _HEADING)), 18, 0.75
    return _above(x, words, "left" if x < _at(of, edge) else "right", up, 12, interval)


def _above(x: float | None, words: str, side: str, up: int, size: int, hover: str = "") -> dict:
    """Words above the rows, `up` pixels over their edge; at the left end without `x`."""
    place = {"xref": "x domain" if x is None else "x", "yref": "y domain", "yanchor": "bottom"}
    look = {"xanchor": side, "yshift": up, "font": {"size": size}}
    return style.words(x or 0, 1, words, hovertext=escape(hover) or None, **place, **look)
