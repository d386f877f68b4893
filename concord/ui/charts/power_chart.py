"""Chart of power by number of questions, one line for each variant that is compared."""

from html import escape

import plotly.graph_objects as go

from concord.messages import Said, capital, joined, said
from concord.reports.cells import percent
from concord.reports.planning.power import PowerCurve, SimulatedPower
from concord.reports.planning.power_document import curve_name
from concord.stats.planning.power_curve import POWER
from concord.ui import style
from concord.ui.language import say, word

_HEIGHT, _LINE = 380, 22
_TICKS = (20, 50, 100, 250, 1000, 4000)


def power_chart(found: SimulatedPower) -> go.Figure:
    """Draw the power against the number of questions on a logarithmic axis, 80 percent dashed."""
    chart = go.Figure()
    curves = [one for one in found.curves if one.points]
    for place, one in enumerate(curves):
        _line(chart, found, one, style.look(place))
    chart.add_hline(y=POWER, line={"dash": "dash", "color": style.BASELINE.colour, "width": 1.5})
    unit = said("clusters of questions") if found.clustered else said("questions")
    chart.update_xaxes(
        type="log", title=say(unit), tickvals=_TICKS, tickformat=",", tickangle=0, fixedrange=True
    )
    chart.update_yaxes(range=[0, 1.02], tickformat=".0%", title=say("power"), fixedrange=True)
    legend = _LINE * len(curves)
    style.styled(chart, _HEIGHT + legend)
    below = {"orientation": "v", "yanchor": "top", "y": -0.24, "x": 0}
    return chart.update_layout(legend=below, margin={"l": 8, "r": 16, "t": 16, "b": 64 + legend})


def _line(chart: go.Figure, found: SimulatedPower, one: PowerCurve, look: style.Look) -> None:
    name = escape(word(capital(curve_name(found, one))))
    chart.add_scatter(
        x=[point.questions for point in one.points],
        y=[point.good for point in one.points],
        error_y={
            "array": [2 * point.error for point in one.points],
            "thickness": 1,
            "width": 0,
            "color": look.colour,
        },
        mode="lines+markers",
        line={"color": look.colour, "width": 3 if one.planned else 1.5},
        marker={"color": look.colour, "symbol": look.symbol, "size": 8},
        name=f"<b>{name}</b>" if one.planned else name,
        hovertemplate="%{x:,}: %{y:.0%}" + f"<extra>{name}</extra>",
    )


def power_alt(found: SimulatedPower) -> Said:
    """Return the chart in words."""
    parts = [
        said(
            "{curve}: {low}% at {first:,} questions, {high}% at {last:,}",
            curve=curve_name(found, one),
            low=percent(one.points[0].good),
            first=one.points[0].questions,
            high=percent(one.points[-1].good),
            last=one.points[-1].questions,
        )
        for one in found.curves
        if one.points
    ]
    return joined("; ", parts)
