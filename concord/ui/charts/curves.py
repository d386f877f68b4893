"""Draw curves over a logarithmic axis."""

from html import escape

import plotly.graph_objects as go

from concord.messages import capital
from concord.reports.charts import Curve, Curves
from concord.ui import style
from concord.ui.charts.frame import framed
from concord.ui.language import say, word

_HEIGHT, _LINE = 380, 22
_TICKS = (20, 50, 100, 250, 1000, 4000)
_INNER, _HEAD, _FOOT = 186, 24, 54


def draw(of: Curves) -> go.Figure:
    """Draw the curves of terms with a legend below, those of segments without one."""
    return _of_terms(of) if of.curves_are == "terms" else _of_segments(of)


def _of_terms(of: Curves) -> go.Figure:
    chart = go.Figure([_with_errors(one) for one in of.curves])
    chart.add_hline(y=of.level, line={"dash": "dash", "color": style.BASELINE.colour, "width": 1.5})
    ticks = {"tickvals": _TICKS, "tickformat": ",", "tickangle": 0}
    chart.update_xaxes(type="log", title=say(of.across), fixedrange=True, **ticks)
    chart.update_yaxes(range=[0, 1.02], tickformat=".0%", title=say(of.up), fixedrange=True)
    legend = _LINE * len(of.curves)
    style.styled(chart, _HEIGHT + legend)
    below = {"orientation": "v", "yanchor": "top", "y": -0.24, "x": 0}
    return chart.update_layout(legend=below, margin={"l": 8, "r": 16, "t": 16, "b": 64 + legend})


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


def _of_segments(of: Curves) -> go.Figure:
    chart = go.Figure()
    at = say("{error} at B = {resamples}", error="%{y:.2f}", resamples="%{x:,}")
    for one in of.curves:
        colour, dash = style.segment(one.place)
        name = escape(word(one.name))
        chart.add_scatter(
            x=[point.x for point in one.points],
            y=[point.y for point in one.points],
            mode="lines+markers",
            line={"color": colour, "width": 1.4, "dash": dash},
            name=name,
            hovertemplate=f"{name}: {at}<extra></extra>",
        )
    framed(chart, of.title, _INNER, _HEAD, _FOOT)
    chart.update_xaxes(type="log", dtick=1, title=say(of.across))
    return chart.update_yaxes(title=say(of.up), tickformat=".2f")
