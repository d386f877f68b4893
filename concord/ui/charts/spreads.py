"""Draw the resampled means of segments: their spread, and below it each mean with its interval."""

from html import escape

import plotly.graph_objects as go

from concord.messages import said
from concord.reports.cells import written
from concord.reports.charts import Spread, Spreads
from concord.ui import style
from concord.ui.charts.frame import framed
from concord.ui.charts.marks import mark
from concord.ui.language import say

_INNER, _ROW, _HEAD, _FOOT = 150, 44, 20, 54


def draw(of: Spreads) -> go.Figure:
    """Draw the shares of each segment's resamples, and the means on lines of their own.

    Resamples that are all the same have no shape, and where none has one, its place is left out.
    """
    chart = go.Figure()
    shaped = [one for one in of.spreads if one.shares and one.high > one.low]
    tallest = max((max(one.shares) for one in shaped), default=1.0)
    for place, one in enumerate(of.spreads):
        colour, dash = style.segment(place)
        if one in shaped:
            chart.add_trace(_shape(one, colour, dash, tallest))
        _mean(chart, one, -0.18 - 0.26 * place, colour)
    sets = len(of.spreads)
    inner, top = (_INNER, 1.06) if shaped else (0, 0.04)
    framed(chart, of.title, inner + _ROW * sets, _HEAD, _FOOT)
    chart.update_yaxes(visible=False, range=[-0.18 - 0.26 * (sets - 0.35), top], fixedrange=True)
    return chart.update_xaxes(title=say(of.axis), range=_reach(of))


def _shape(one: Spread, colour: str, dash: str, tallest: float) -> go.Scatter:
    width = (one.high - one.low) / len(one.shares)
    return go.Scatter(
        x=[one.low + width * (place + 0.5) for place in range(len(one.shares))],
        y=[share / tallest for share in one.shares],
        line={"color": colour, "width": 2, "dash": dash, "shape": "hvh"},
        fill="tozeroy",
        opacity=0.75,
        name=one.name,
        hoverinfo="skip",
    )


def _mean(chart: go.Figure, one: Spread, y: float, colour: str) -> None:
    """The mean and its interval on a line of its own, named."""
    name, mean = escape(one.name), written(one.found, "number")
    words = say("{set}: {mean}, n = {n:,}", set=name, mean=mean, n=one.n)
    if one.found.value is None:
        words = say("{set}: {why}", set=name, why=escape(say(said(one.found.why_none))))
    else:
        marker = {"color": colour, "size": 11, "symbol": "diamond"}
        chart.add_trace(mark(one.found, y, marker, one.name, words))
    above = {"xref": "paper", "xanchor": "left", "yanchor": "bottom", "yshift": 5}
    chart.add_annotation(style.words(0, y, words, **above))


def _reach(of: Spreads) -> list[float]:
    """Return the range from the least to the greatest end, with padding."""
    ends = [end for one in of.spreads for end in one.found[:3] if end is not None]
    ends += [end for one in of.spreads if one.shares for end in (one.low, one.high)]
    low, high = min(ends, default=0.0), max(ends, default=1.0)
    room = 0.05 * (high - low) or 0.05
    return [low - room, high + room]
