"""Draw a reliability diagram: on the diagonal, confidence can be taken at its word."""

from html import escape

import plotly.graph_objects as go

from concord.messages import said
from concord.reports.charts import Calibration, CalibrationBin
from concord.ui import style
from concord.ui.charts.frame import error_bars, framed
from concord.ui.language import say

_INNER, _HEAD, _FOOT = 300, 16, 58
_TICKS = (0, 0.2, 0.4, 0.6, 0.8, 1)
_RANGE = (-0.02, 1.02)


def draw(of: Calibration) -> go.Figure:
    """Draw a mark per bin with its CI, joined by a thin line, over the dashed diagonal."""
    chart = go.Figure()
    look = style.look(of.of)
    chart.add_shape(type="line", x0=0, y0=0, x1=1, y1=1, line=style.CEILING, layer="below")
    chart.add_scatter(
        x=[one.confidence for one in of.bins],
        y=[one.agreed.value for one in of.bins],
        mode="lines",
        line={"color": look.colour, "width": 1},
        hoverinfo="skip",
    )
    for one in of.bins:
        chart.add_trace(_mark(one, look))
    chart.layout.annotations = (
        _words(0.02, 0.98, said("underconfident"), "left", "top"),
        _words(0.98, 0.02, said("overconfident"), "right", "bottom"),
    )
    axis = {"range": _RANGE, "tickvals": _TICKS, "tickformat": ".0%", "fixedrange": True}
    chart.update_xaxes(title=say(of.across), showgrid=True, **axis)
    chart.update_yaxes(title=say(of.up), **axis)
    return framed(chart, of.title, _INNER, _HEAD, _FOOT)


def _mark(one: CalibrationBin, look: style.GraderStyle) -> go.Scatter:
    return go.Scatter(
        x=[one.confidence],
        y=[one.agreed.value],
        error_y=error_bars(one.agreed, look.colour),
        marker=look.marker(11),
        mode="markers",
        hovertemplate=f"{escape(say(one.words))}<extra></extra>",
    )


def _words(x: float, y: float, text: str, side: str, end: str) -> dict:
    """Words in a corner, which says what lies there."""
    return style.words(x, y, say(text), xanchor=side, yanchor=end, align=side)
