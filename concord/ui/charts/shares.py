"""Draw the scores that graders use: a circle per score, larger the more often it is used.

Scales share one axis from their lowest to their highest score.
"""

import plotly.graph_objects as go

from concord.reports.cells import plain_share
from concord.reports.charts import ScoresUsed, Shares
from concord.ui import style
from concord.ui.charts.frame import framed, rows_of_names
from concord.ui.language import say, word

_ROW, _HEAD, _FOOT = 62, 24, 58
_LOWER = 0.12  # of a row, from its middle down to the circles
_SAID_OF = 5  # of scales with more scores than this only the commonest has its share below it


def draw(of: Shares) -> go.Figure:
    """Draw a row per grader, with the shares printed below their circles."""
    circles, notes = [], []
    for place, row in enumerate(reversed(of.rows)):
        circles.append(_circles(row, place - _LOWER))
        notes += _shares(row, place - _LOWER)
    notes += [_end(0, say("lowest score"), "left"), _end(1, say("highest score"), "right")]
    layout = rows_of_names([word(row.name) for row in of.rows], notes)
    layout["xaxis"] = {"range": [-0.08, 1.08], "showticklabels": False}
    inner = _ROW * len(of.rows) + 20
    return framed(go.Figure(circles), of.title, inner, _HEAD, _FOOT, **layout)


def _end(x: float, words: str, side: str) -> dict:
    """Words below an end of the axis, kept inside the chart, where a tick label may be hidden."""
    return style.words(x, 0, words, xref="x domain", yref="y domain", xanchor=side, yanchor="top")


def _circles(row: ScoresUsed, y: float) -> go.Scatter:
    look = style.look(row.of)
    return go.Scatter(
        x=_places(row),
        y=[y] * len(row.scale),
        mode="markers",
        marker={
            "size": [_width(part) for part in row.shares],
            "color": look.colour,
            "opacity": [0.85 if part else 0.35 for part in row.shares],
            "symbol": ["circle" if part else "line-ns-open" for part in row.shares],
            "line": {"color": look.outline, "width": 1},
        },
        hovertext=[
            f"{score}: {_percent(part)}" for score, part in zip(row.scale, row.shares, strict=True)
        ],
        hoverinfo="text",
        name=word(row.name),
    )


def _shares(row: ScoresUsed, y: float) -> list[dict]:
    few = len(row.scale) <= _SAID_OF
    return [
        style.words(x, y, _percent(part), yanchor="top", yshift=-_width(part) / 2)
        for x, part in zip(_places(row), row.shares, strict=True)
        if part and (few or part == max(row.shares))
    ]


def _places(row: ScoresUsed) -> list[float]:
    reach = row.scale[-1] - row.scale[0]
    return [(score - row.scale[0]) / reach for score in row.scale]


def _percent(part: float) -> str:
    return word(plain_share(part))


def _width(part: float) -> float:
    """The pixels of a circle, so that its area grows with the share."""
    return 4 + 26 * part**0.5 if part else 3
