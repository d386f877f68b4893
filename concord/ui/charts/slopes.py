"""Draw means by annotators and by a judge as slopes.

Lines that cross are swaps: they are thick and red, dashed where the swap may be chance. Labels
are in the margins, pushed apart where means are close, and a thin line leads to each one's mean.
"""

from collections.abc import Sequence
from html import escape

import plotly.graph_objects as go

from concord.reports.cells import written
from concord.reports.charts import Slope, Slopes
from concord.stats.core.estimate import Estimate
from concord.text.display import middle_cut
from concord.ui import style
from concord.ui.charts.frame import error_bars
from concord.ui.language import say, word
from concord.ui.style import GraderStyle

SWAP = "#D55E00"
_QUIET = "#9AA0A6"
_MARGIN, _LABEL = 128, 38
_NAME, _HEAD = 15, 28
_TOP, _BOTTOM, _LEAST = 40, 12, 300
_STEP = 0.07
_EDGES = (-0.12, 1.12)


def draw(of: Slopes) -> go.Figure:
    """Draw annotators on the left, the judge on the right, a line for each row of two or more."""
    height = max(_LEAST, _TOP + _BOTTOM + _LABEL * (len(of.rows) + 1))
    sides = [[row.left for row in of.rows], [row.right for row in of.rows]]
    bottom, top = _range([*sides[0], *sides[1]])
    gap = (top - bottom) * _LABEL / (height - _TOP - _BOTTOM)
    chart = go.Figure()
    left, right = map(_columns, sides)
    places = [(_STEP * a, 1 - _STEP * b) for a, b in zip(left, right, strict=True)]
    for row, at in zip(of.rows, places, strict=True):
        _slope(chart, row, at)
    for x, means in enumerate(sides):
        heights = spread([mean.value for mean in means], gap, bottom, top)
        for row, mean, at, y in zip(of.rows, means, places, heights, strict=True):
            _leader(chart, (_EDGES[x], at[x]), (y, mean.value))
            _label(chart, row.name, mean, x, y)
    for row, at in zip(of.rows, places, strict=True):  # on top of all lines
        _points(chart, row, at, (style.ANNOTATORS, style.look(of.of)))
    _heads(chart, of)
    chart.update_xaxes(range=_EDGES, visible=False, fixedrange=True)
    chart.update_yaxes(range=[bottom, top], visible=False, fixedrange=True)
    margin = {"l": _MARGIN, "r": _MARGIN, "t": _TOP, "b": _BOTTOM}
    return style.styled(chart, height, showlegend=False, hovermode="closest", margin=margin)


def spread(values: list[float], gap: float, bottom: float, top: float) -> list[float]:
    """Return heights for labels, as near to their values as a gap between neighbours allows.

    Labels that would touch are grouped around the mean of their values, and all of them between
    bottom and top, half a gap within, as long as there is room.
    """
    rising = sorted(range(len(values)), key=lambda place: values[place])
    blocks = []  # of labels grouped together, from below
    for place in rising:
        blocks.append([place])
        while len(blocks) > 1 and _touch(
            *(_middle(b, values, gap, bottom, top) for b in blocks[-2:])
        ):
            upper = blocks.pop()
            blocks[-1] += upper
    heights = {}
    for block in blocks:
        middle = _middle(block, values, gap, bottom, top)[0]
        for step, place in enumerate(block):
            heights[place] = middle + (step - (len(block) - 1) / 2) * gap
    return [heights[place] for place in range(len(values))]


def _middle(
    block: list[int], values: list[float], gap: float, bottom: float, top: float
) -> tuple[float, float]:
    """The middle and the half height of a group of labels."""
    half = len(block) * gap / 2
    wanted = sum(values[place] for place in block) / len(block)
    return max(min(wanted, top - half), bottom + half), half


def _touch(lower: tuple[float, float], upper: tuple[float, float]) -> bool:
    return upper[0] - upper[1] < lower[0] + lower[1] - 1e-9


def _range(means: Sequence[Estimate]) -> tuple[float, float]:
    """Return the range from the lowest limit to the highest, with padding."""
    ends = [end for mean in means for end in _ends(mean)]
    air = 0.06 * (max(ends) - min(ends)) or 0.5
    return min(ends) - air, max(ends) + air


def _ends(mean: Estimate) -> tuple[float, float]:
    """The limits of a mean, or the mean where it has none."""
    if mean.low is None:
        return mean.value, mean.value
    return mean.low, mean.high


def _columns(means: Sequence[Estimate]) -> list[int]:
    """Return how far each interval is shifted so that none covers another; 0 for most."""
    columns, taken = [], []
    for low, high in map(_ends, means):
        met = {c for c, bottom, top in taken if low <= top and high >= bottom}
        columns.append(next(c for c in range(len(means)) if c not in met))
        taken.append((columns[-1], low, high))
    return columns


def _slope(chart: go.Figure, row: Slope, at: tuple[float, float]) -> None:
    line = {"color": _QUIET, "width": 1.6}
    if row.swap:
        line = {"color": SWAP, "width": 3, "dash": "solid" if row.swap == "certain" else "dash"}
    means = [row.left.value, row.right.value]
    chart.add_trace(
        go.Scatter(x=at, y=means, mode="lines", line=line, hoverinfo="skip", showlegend=False)
    )


def _points(
    chart: go.Figure, row: Slope, at: tuple[float, float], looks: tuple[GraderStyle, GraderStyle]
) -> None:
    """Both means of a row with their intervals."""
    for x, mean, look in zip(at, (row.left, row.right), looks, strict=True):
        value = word(written(mean, "number"))
        chart.add_trace(
            go.Scatter(
                x=[x],
                y=[mean.value],
                error_y=error_bars(mean, look.outline) | {"thickness": 1.8, "width": 4},
                marker=look.marker(11),
                mode="markers",
                name=row.name,
                hovertemplate=f"{row.name}: {value}<extra></extra>",
            )
        )


def _leader(chart: go.Figure, x: tuple[float, float], y: tuple[float, float]) -> None:
    """A thin line from a label to its mean."""
    line = {"color": _QUIET, "width": 0.8}
    chart.add_trace(go.Scatter(x=x, y=y, mode="lines", line=line, hoverinfo="skip", name="leader"))


def _label(chart: go.Figure, name: str, mean: Estimate, x: int, y: float) -> None:
    """The name and the figure of a row in the margin."""
    text = f"<b>{escape(middle_cut(name, _NAME))}</b><br>{word(written(mean, 'number'))}"
    outside = {"xanchor": "left", "align": "left"} if x else {"xanchor": "right", "align": "right"}
    outside |= {"xref": "paper", "xshift": 4 if x else -4}
    chart.add_annotation(style.words(x, y, text, hovertext=name, **outside))


def _heads(chart: go.Figure, of: Slopes) -> None:
    """Label the two sides, above the points."""
    for x, name in enumerate((word(of.left), word(of.right))):
        above = {"xref": "paper", "yref": "paper", "yanchor": "bottom", "yshift": 10}
        above |= {"xanchor": "right" if x else "left", "font": {"size": 13}}
        text, shift = say("by {name}", name=escape(middle_cut(name, _HEAD))), _MARGIN - 8
        chart.add_annotation(style.words(x, 1, text, xshift=shift if x else -shift, **above))
