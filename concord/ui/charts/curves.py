"""Draw curves over a logarithmic axis, or over a share."""

from html import escape

import plotly.graph_objects as go

from concord.messages import capital
from concord.reports.charts import Curve, Curves
from concord.ui import style
from concord.ui.charts.frame import title_height, titled, wrapped
from concord.ui.language import say, word

_HEIGHT, _LINE = 380, 22
_FEW = 12  # points of a curve that are marked
_TICKS = (20, 50, 100, 250, 1000, 4000)


def draw(of: Curves) -> go.Figure:
    """Draw the curves of terms or of sources, with a legend below."""
    return {"terms": _of_terms, "sources": _of_sources}[of.curves_are](of)


def _of_terms(of: Curves) -> go.Figure:
    chart = go.Figure([_with_errors(one) for one in of.curves])
    ticks = {"tickvals": _TICKS, "tickformat": ",", "tickangle": 0}
    chart.update_xaxes(type="log", title=say(of.across), fixedrange=True, **ticks)
    chart.update_yaxes(range=[0, 1.02], tickformat=".0%", title=say(of.up), fixedrange=True)
    return _with_legend_below(chart, of)


def _with_legend_below(chart: go.Figure, of: Curves) -> go.Figure:
    """The chart in the house style with its reference line, and a line of legend per curve."""
    chart.add_hline(y=of.level, line={"dash": "dash", "color": style.BASELINE.colour, "width": 1.5})
    lines = sum(trace.name.count("<br>") + 1 for trace in chart.data)
    legend, title = _LINE * lines, title_height(of.title)
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


def _of_sources(of: Curves) -> go.Figure:
    chart = go.Figure([_source(one) for one in of.curves])
    chart.update_xaxes(range=[0, 1.02], tickformat=".0%", title=say(of.across), fixedrange=True)
    most = max(of.level or 0, *(point.y for one in of.curves for point in one.points))
    reach = [0, min(1.02, 1.1 * most)]
    chart.update_yaxes(range=reach, tickformat=".0%", title=say(of.up), fixedrange=True)
    return _with_legend_below(chart, of)


def _source(one: Curve) -> go.Scatter:
    """A source of few confidences, such as two judges, has a mark at each."""
    name = "<br>".join(map(escape, wrapped(word(one.name))))
    colour, dash, symbol = style.source(one.place)
    return go.Scatter(
        x=[point.x for point in one.points],
        y=[point.y for point in one.points],
        mode="lines+markers" if len(one.points) <= _FEW else "lines",
        line={"color": colour, "width": 3 if one.planned else 1.5, "dash": dash},
        marker={"color": colour, "symbol": symbol, "size": 8},
        name=f"<b>{name}</b>" if one.planned else name,
        hovertemplate="%{x:.0%}: %{y:.1%}" + f"<extra>{name}</extra>",
    )
