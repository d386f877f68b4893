"""Draw a matrix as a heat map whose cells can be clicked."""

from collections.abc import Sequence
from html import escape

import plotly.graph_objects as go

from concord.reports.charts import Matrix
from concord.ui import style
from concord.ui.charts.frame import title_height, titled
from concord.ui.language import say, word


def draw(of: Matrix, dark: bool = False) -> go.Figure:
    """Draw the cells, each shaded by its share of the row and with its number of answers.

    The marker of a cell carries [row's, column's score] as custom data.
    """
    scale = [str(score) for score in of.scale]
    size = len(scale)
    side = max(30, min(54, 420 // size))
    inks = ("white", "black") if dark else ("black", "white")  # the first for the least shares
    cells = [_cells(of, dark, ink) for ink in inks]
    axis = {"type": "category", "showgrid": False, "fixedrange": True, "automargin": True}
    names = ["<br>".join(map(escape, word(name).split())) for name in of.names]
    axis |= {"tickvals": scale, "ticktext": names}
    top = 12 + title_height(of.title)
    return titled(
        go.Figure([*cells, _spots(of, side)]),
        of.title,
        top + side * size + 70,
        xaxis={"title": {"text": say(of.across)}, "side": "bottom", "range": [-0.5, size - 0.5]}
        | axis,
        yaxis={"title": {"text": say(of.down)}, "range": [size - 0.5, -0.5]} | axis,
        shapes=[_agreed(place) for place in range(size)],
        margin={"t": top, "b": 56, "l": 8, "r": 8},
    )


def _agreed(place: int) -> dict:
    """A frame around a cell where the two agree."""
    low, high = place - 0.48, place + 0.48
    line = {"color": style.ANNOTATORS.colour, "width": 1.5}
    return {"type": "rect", "x0": low, "x1": high, "y0": low, "y1": high, "line": line}


def _cells(of: Matrix, dark: bool, ink: str) -> dict:
    """The cells whose number is read best in this ink; plotly's own choice is too pale on some."""
    seen = [[style.heat_ink(share, dark) == ink for share in line] for line in of.shares]
    scale = [str(score) for score in of.scale]
    return {
        "type": "heatmap",
        "z": _where(seen, of.shares, None),
        "zmin": 0,
        "zmax": 1,
        "x": scale,
        "y": scale,
        "colorscale": style.heat(dark),
        "showscale": False,
        "text": _where(seen, [list(map(_count, line)) for line in of.counts], ""),
        "texttemplate": "%{text}",
        "textfont": {"color": ink},
        "hoverinfo": "skip",
        "xgap": 2,
        "ygap": 2,
    }


def _where(seen: list[list[bool]], values: Sequence[Sequence], other: object) -> list[list]:
    return [
        [value if is_seen else other for is_seen, value in zip(*line, strict=True)]
        for line in zip(seen, values, strict=True)
    ]


def _count(count: int) -> str:
    return word(f"{count:,}") if count else ""


def _spots(of: Matrix, side: int) -> go.Scatter:
    """Markers over the cells: a heat map alone reports no click, nearly invisible markers do."""
    cells = [(row, column) for row in of.scale for column in of.scale]
    return go.Scatter(
        x=[str(column) for _, column in cells],
        y=[str(row) for row, _ in cells],
        customdata=[[row, column] for row, column in cells],
        text=[escape(say(words)) for line in of.words for words in line],
        mode="markers",
        marker={"size": side - 8, "symbol": "square", "color": "rgba(0,0,0,0.01)"},
        selected={"marker": {"opacity": 1}},
        unselected={"marker": {"opacity": 1}},
        hovertemplate="%{text}<extra></extra>",
        showlegend=False,
    )
