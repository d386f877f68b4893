"""Charts of documents on the screen; apart from `render`, since few screens need plotly."""

from functools import partial
from html import escape
from math import log10
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from concord.clock import today
from concord.reports import charts
from concord.reports.cells import written
from concord.reports.charts import Line
from concord.reports.document import Chart, Document, Kind
from concord.stats.core.estimate import Estimate
from concord.ui import style
from concord.ui.frame import offer_download
from concord.ui.language import plain, say, word

COLOURS = {"good_enough": "#009E73", "not": "#D55E00", "cannot_tell": "#7A8087"}
_ZOOM = ["zoom2d", "pan2d", "zoomIn2d", "zoomOut2d", "autoScale2d", "resetScale2d"]


def show_charts(document: Document, name: str) -> None:
    """Show all charts of a document; `name` begins the names of the downloads."""
    for chart in document.charts:
        show_chart(chart, name)


def show_chart(chart: Chart, name: str, **options: Any) -> None:
    """Show a chart under its title, offered as HTML; its own bar saves it as PNG.

    `options` go to `st.plotly_chart`.
    """
    drawn, name = draw(chart), f"{name}-{chart.name}"
    alt = word(chart.alt)
    if chart.title:
        st.markdown(f"**{plain(chart.title)}**")
    st.plotly_chart(
        drawn,
        key=f"figure.{name}",
        alt=alt,
        config={
            "displaylogo": False,
            "modeBarButtonsToRemove": _ZOOM,  # they would cover a narrow chart
            "toImageButtonOptions": {"filename": name, "scale": 2},
        },
        **options,
    )
    offer_download(partial(_standalone, drawn, name, alt), f"{name}.html", "text/html")


def _standalone(chart: go.Figure, name: str, alt: str) -> str:
    """A page that holds the chart, its name, its figures in words and the day it was made."""
    drawn = chart.to_html(full_html=False, include_plotlyjs=True)
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{escape(name)}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<body style="font-family: system-ui, sans-serif"><main>{drawn}<p>{escape(alt)}</p>'
        f'<h1 style="font-size: 1rem">{escape(name)}</h1><p>Concord, {today()}</p></main></body>'
        "</html>"
    )


def draw(chart: Chart) -> go.Figure:
    """Draw a chart; plotly finds the room of titles, names and legends itself."""
    return _DRAW[type(chart)](chart)


def _intervals(of: charts.Intervals) -> go.Figure:
    """Every row with its marks and values; annotators are dashed, the constant is grey."""
    traces, notes, shapes, named = [], [], [], set()
    compared = any(len(marks) > 1 for _, marks in of.rows)
    for y, (_, marks) in enumerate(reversed(of.rows)):
        for place, one in enumerate(marks):
            found, look, name = one.found, style.look(one.of), escape(word(one.name))
            if found.value is None:
                notes.append(
                    style.words(of.reach[0], y, escape(word(found.why_none)), xanchor="left")
                )
                continue
            value = written(found, of.kind)
            why = f"<br>{escape(word(found.why_none))}" if found.why_none else ""
            traces.append(
                go.Scatter(
                    x=[found.value],
                    y=[y - 0.3 * place],
                    error_x=_error_bars(found, look.colour),
                    marker=look.marker(12),
                    mode="markers",
                    cliponaxis=False,
                    name=name,
                    showlegend=compared and name not in named,  # each name once
                    hovertemplate=f"{name}: {value}, {escape(one.on)}{why}<extra></extra>",
                )
            )
            named.add(name)
            above = compared and not place
            side = "right" if found.value > 0.13 * of.reach[0] + 0.87 * of.reach[1] else "center"
            beside = {"xanchor": side, "yanchor": "bottom" if above else "top"}
            beside["yshift"] = 6 if above else -6
            # No text of the marker: notes alone take the colour of text in any theme.
            notes.append(style.words(found.value, y - 0.3 * place, value, **beside))
    for place, line in enumerate(of.lines):
        found, colour = line.found, style.look(line.of).colour
        value = "unknown" if found.value is None else written(Estimate(found.value), of.kind)
        label = f"{line.label}: {value}" if line.label else ""
        above = {"yref": "y domain", "yanchor": "bottom", "yshift": 14 * place}
        above["hovertext"] = written(found, of.kind) if found.low is not None else None
        if found.value is None:
            at_end = above | {"xref": "x domain", "xanchor": "right"}
            notes.append(style.words(1, 1, label, **at_end))
            continue
        high = {"yref": "y domain", "y0": 0, "y1": 1, "layer": "below"}
        if found.low is not None:
            band = {"x0": found.low, "x1": found.high, "fillcolor": colour, "opacity": 0.13}
            shapes.append(high | band | {"type": "rect", "line": {"width": 0}})
        ends = {"x0": found.value, "x1": found.value}
        shapes.append(high | ends | {"type": "line", "line": _line(line)})
        notes.append(style.words(found.value, 1, label, **above))
    names = [escape(word(name)) for name, _ in reversed(of.rows)]
    rows = {"tickvals": [*range(len(names))], "ticktext": names, "range": [-0.7, len(names) - 0.5]}
    return style.styled(
        go.Figure(traces),
        46 * len(names) * (1.6 if compared else 1) + 100,
        annotations=notes,
        shapes=shapes,
        margin={"l": 8, "r": 18, "t": 24 + 14 * len(of.lines), "b": 8},
        xaxis={"range": of.reach, **_axis(of.axis, of.kind)},
        yaxis={"fixedrange": True, "showgrid": False} | rows,
    )


def _error_bars(found: Estimate, colour: str) -> dict[str, Any]:
    """Error bars of an estimate; of no length where it has no interval."""
    low, high = (found.value if end is None else end for end in (found.low, found.high))
    both = {"array": [high - found.value], "arrayminus": [found.value - low]}
    return both | {"symmetric": False, "color": colour, "thickness": 2, "width": 5}


def _axis(title: str, kind: Kind = "text", **more: Any) -> dict[str, Any]:
    shares = {"tickformat": ".0%"} if kind == "share" else {}
    return {"title": {"text": title}, "fixedrange": True} | shares | more


def _matrix(of: charts.Matrix) -> go.Figure:
    """Squares that can be clicked, each shaded by its share of the row, with its answers."""
    dark, scale = st.context.theme.type == "dark", [str(score) for score in of.scale]
    side = max(30, min(54, 420 // len(scale)))
    shares = [share for line in of.shares for share in line]
    squares = go.Scatter(
        x=scale * len(scale),
        y=[row for row in scale for _ in scale],
        text=[f"{n:,}" if n else "" for line in of.counts for n in line],
        textfont={"color": [style.heat_ink(share, dark) for share in shares]},
        hovertemplate=f"{of.down} %{{y}}, {of.across} %{{x}}: %{{text}}<extra></extra>",
        mode="markers+text",
        marker={
            "size": side - 3,
            "symbol": "square",
            "color": shares,
            "cmin": 0,
            "cmax": 1,
            "colorscale": style.heat(dark),
            "opacity": 1,
            "line": {
                "color": style.ANNOTATORS.colour,  # around those where the two agree
                "width": [2 * (row == column) for row in scale for column in scale],
            },
        },
        selected={"marker": {"opacity": 1}},
        unselected={"marker": {"opacity": 1}},
        cliponaxis=False,
    )
    names = ["<br>".join(map(escape, word(name).split())) for name in of.names]
    axis = {"type": "category", "categoryarray": scale, "showgrid": False}
    axis |= {"tickvals": scale, "ticktext": names}
    size, ends = side * len(scale), [-0.5, len(scale) - 0.5]
    return style.styled(
        go.Figure(squares),
        size + 70,
        width=size + 160,
        xaxis=_axis(of.across, range=ends, **axis),
        yaxis=_axis(of.down, range=ends[::-1], **axis),
    )


def _curve(of: charts.Curve) -> go.Figure:
    """Return a curve over a logarithmic axis with a reference line."""
    x, y, error = zip(*of.points, strict=True)
    error_y = {"array": error, "thickness": 1, "width": 0}
    figure = go.Figure(go.Scatter(x=x, y=y, error_y=error_y, hovertemplate="%{x:,}: %{y:.0%}"))
    figure.add_hline(of.level, line=style.CEILING)
    return style.styled(
        figure,
        400,
        xaxis={"type": "log", **_axis(of.across)},
        yaxis={"range": [0, 1.02], **_axis(of.up, "share")},
    )


def _points(of: charts.Points) -> go.Figure:
    """A point per judge, coloured by its verdict; those that cost nothing stand at the left."""
    figure, prices = go.Figure(), [one.x for one in of.points if one.x]
    free = min(prices, default=1) / 5  # where they are on an axis that has no 0
    for line in of.lines:
        words = {"annotation_text": line.label, "annotation_position": "top left"}
        figure.add_hline(line.found.value, line=_line(line), layer="below", **words)
    for place, one in enumerate(of.points):
        colour, name = COLOURS[one.result], escape(word(one.name))
        figure.add_scatter(
            x=[one.x or free],
            y=[one.found.value],
            error_y=_error_bars(one.found, colour),
            marker={
                "color": colour,
                "symbol": f"{style.look(place).symbol}{'-open' if one.reference else ''}",
                "size": 14,
                "line": {"color": colour, "width": 2.5 if one.reference else 1},
            },
            mode="markers",
            name=f"{name}: {escape(word(one.verdict))}",
            hovertemplate=f"<b>{name}</b><br>{'<br>'.join(map(say, one.told))}<extra></extra>",
        )
    ticks = {}
    if len(prices) < len(of.points):
        known = [10.0**n for n in range(-6, 7) if prices and min(prices) <= 10**n <= max(prices)]
        known = known or prices
        ticks = {"tickvals": [free, *known], "ticktext": ["free", *(f"${one:g}" for one in known)]}
    ends = log10(free * 0.6), log10(max(prices, default=1) * 1.7)
    return style.styled(
        figure,
        460,
        showlegend=True,
        xaxis={"type": "log", "range": ends, "tickprefix": "$", **ticks, **_axis(of.across)},
        yaxis={"rangemode": "tozero", **_axis(of.up, of.kind)},
    )


def _line(of: Line) -> dict[str, Any]:
    dash = "solid" if of.of == "constant" else "dash"
    return {"color": style.look(of.of).colour, "width": 2, "dash": dash}


def _calibration(of: charts.Calibration) -> go.Figure:
    """A mark per bin with its CI, over the dashed diagonal: there confidence is at its word."""
    look, agreed = style.look(of.of), [one.agreed for one in of.bins]
    bars = [_error_bars(one, look.colour) for one in agreed]
    ends = {name: [one for bar in bars for one in bar[name]] for name in ("array", "arrayminus")}
    figure = go.Figure(
        go.Scatter(
            x=[one.confidence for one in of.bins],
            y=[one.value for one in agreed],
            error_y=(bars[0] | ends) if bars else None,
            marker=look.marker(11),
            mode="lines+markers",
            line={"color": look.colour, "width": 1},
            hovertext=[escape(one.words) for one in of.bins],
            hoverinfo="text",
        )
    )
    figure.add_shape(type="line", x0=0, y0=0, x1=1, y1=1, line=style.CEILING, layer="below")
    for x, text, side in ((0.02, "underconfident", "left"), (0.98, "overconfident", "right")):
        figure.add_annotation(**style.words(x, 1 - x, text, xanchor=side))
    across, up = (_axis(text, "share", range=(-0.02, 1.02)) for text in (of.across, of.up))
    return style.styled(figure, 380, xaxis=across, yaxis=up)


_DRAW = {
    charts.Calibration: _calibration,
    charts.Curve: _curve,
    charts.Intervals: _intervals,
    charts.Matrix: _matrix,
    charts.Points: _points,
}
