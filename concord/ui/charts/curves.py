"""Draw curves over a logarithmic axis."""

from html import escape

import plotly.graph_objects as go

from concord.messages import capital
from concord.reports.charts import Curve, Curves
from concord.ui import style
from concord.ui.charts.frame import title_height, titled
from concord.ui.language import say, word

_HEIGHT, _LINE = 380, 22
_TICKS = (20, 50, 100, 250, 1000, 4000)


def draw(of: Curves) -> go.Figure:
    """Draw the curves with a reference line, and a line of legend for each below."""
    chart = go.Figure([_with_errors(one) for one in of.curves])
    ticks = {"tickvals": _TICKS, "tickformat": ",", "tickangle": 0}
    chart.update_xaxes(type="log", title=say(of.across), fixedrange=True, **ticks)
    chart.update_yaxes(range=[0, 1.02], tickformat=".0%", title=say(of.up), fixedrange=True)
    chart.add_hline(y=of.level, line={"dash": "dash", "color": style.BASELINE.colour, "width": 1.5})
    legend, title = _LINE * len(of.curves), title_height(of.title)
    below = {"orientation": "v", "yanchor": "top", "y": -0.24, "x": 0}
    margin = {"l": 8, "r": 16, "t": 16 + title, "b": 64 + legend}
    high = _HEIGHT + legend + title
    return titled(chart, of.title, high, legend=below, showlegend=True, margin=margin)


def _with_errors(one: Curve) -> go.Scatter:
    name, look = escape(word(capital(one.name))), style.look(one.place)
    bars = {"array": [point.error for point in one.points], "thickness": 1, "width": 0}
    return go.Scatter(
        x=[point.x for point in one.points],
        y=[point.y for point in one.points],
        error_y=bars | {"color": look.colour},
        mode="lines+markers",
        line={"color": look.colour, "width": 3 if one.planned else 1.5},
        marker={"color": look.colour, "symbol": look.symbol, "size": 8},
        name=f"<b>{name}</b>" if one.planned else name,
        hovertemplate="%{x:,}: %{y:.0%}" + f"<extra>{name}</extra>",
    )
