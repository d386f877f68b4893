"""The frame of every chart: its title, which wraps on narrow screens, and its margins."""

import re
from collections.abc import Sequence
from html import escape
from typing import Any

import plotly.graph_objects as go

from concord.stats.core.estimate import Estimate
from concord.text.display import width
from concord.ui import style
from concord.ui.language import fitted, say


def rows_of_names(
    names: Sequence[str | Sequence[str]], notes: Sequence[dict] = ()
) -> dict[str, Any]:
    """The layout of names above their rows, inside the plot, so that long ones take no width of it.

    A name that is a list has as many lines. They are notes and not tick labels, since those would
    hide the labels of the other axis. `notes` are others on the chart.
    """
    axis = {"tickvals": list(range(len(names))), "showticklabels": False, "fixedrange": True}
    axis["range"] = [-0.6, len(names) - 0.4]
    clear = {"xshift": 12, "yshift": 7}  # of a line at 0, and of the marker
    left = {"align": "left", "xanchor": "left", "yanchor": "bottom", "xref": "x domain"} | clear
    labels = [
        style.words(
            0, row, "<br>".join(map(escape, [name] if isinstance(name, str) else name)), **left
        )
        for row, name in enumerate(reversed(names))
    ]
    return {"yaxis": axis, "annotations": [*notes, *labels]}


def mark(found: Estimate, y: float, marker: dict, name: str, hover: str) -> go.Scatter:
    """An estimate as a marker in its row, with its interval in the colour of the marker."""
    return go.Scatter(
        x=[found.value],
        y=[y],
        error_x=error_bars(found, marker["color"]),
        marker=marker,
        mode="markers",
        name=name,
        hovertemplate=f"{hover}<extra></extra>",
    )


def error_bars(found: Estimate, colour: str) -> dict[str, Any]:
    """Error bars of an estimate; of no length where it has no interval."""
    low, high = (found.value if end is None else end for end in (found.low, found.high))
    return {
        "type": "data",
        "symmetric": False,
        "array": [high - found.value],
        "arrayminus": [found.value - low],
        "color": colour,
        "thickness": 2,
        "width": 5,
    }


# Chinese and Japanese titles break after a mark, else where a phrase is likely to end, else next to
# a name in Latin letters, and else between any two letters, except before a closing mark; all else,
# and Korean too, between words, and a name that no line holds after a hyphen.
LINE = 40  # columns of a title that fit a window of 390 pixels; a wide letter takes two
_FONT, _SMALL, _LEAST = 14, 12, 11  # pixels: of a title, of one with whole names, of any other
_FREE = "\u2e80-\u2fff\u3040-\u30ff\u31c0-\u31ff\u3400-\u9fff"
_CLOSING = "、。，．：；！？）」』】》〉”’"
_MARK = re.compile(rf".\s|[{_CLOSING}].")
_PHRASE = re.compile(rf"{_MARK.pattern}|的.|[ぁ-ん][^ぁ-んー]")  # ends: 的, or kana before others
_NAME = re.compile(rf"{_PHRASE.pattern}|[A-Za-z][{_FREE}]|[{_FREE}][A-Za-z]")
_STOPS = "、。，：；！？"  # where a title may break also between two names
_PIECE = re.compile(
    rf"[{_FREE}][{_CLOSING}]*|[^\s{_FREE}{_STOPS}]+[{_CLOSING}]*|[{_STOPS}][{_CLOSING}]*"
)


def title_height(title: str) -> int:
    """The pixels a title takes, in the language of who reads it."""
    return 20 * len(_lines(title)[0]) + (8 if title else 0)


def framed(
    chart: go.Figure,
    title: str,
    inner: int,
    head: int,
    foot: int,
    legend: bool = False,
    **layout: Any,
) -> go.Figure:
    """Return a chart of `inner` pixels in the house style, its title above it.

    `head` pixels lie between title and plot, `foot` below; `layout` is what else it has.
    """
    top = head + title_height(title)
    margin = {"t": top, "b": foot, "l": 18, "r": 18}
    return titled(chart, title, top + inner + foot, showlegend=legend, margin=margin, **layout)


def titled(chart: go.Figure, title: str, height: int, **layout: Any) -> go.Figure:
    """Return a chart of `height` pixels in the house style, its title in the top left corner."""
    if not title:
        return style.styled(chart, height, **layout)
    lines, font = _lines(title)
    corner = {
        "text": "<br>".join(map(escape, lines)),
        "font": {"size": font},
        "x": 0,
        "xref": "container",
        "xanchor": "left",
        "y": 1 - 18 / height,
        "yref": "container",
        "yanchor": "top",
        "pad": {"t": 0, "l": 4},
    }
    return style.styled(chart, height, title=corner, **layout)


def _lines(title: str) -> tuple[list[str], int]:
    """Return the lines of a title and its font in pixels.

    One that would take three lines has smaller letters, and long names cut where that is too
    little: of “simulated-careful-judge” a chart would show “simu…judge”.
    """
    for words, least in ((say(title), _SMALL), (say(fitted(title)[0]), _LEAST)):
        for font in range(_FONT, least - 1, -1):
            lines = wrapped(words, LINE * _FONT // font)
            if len(lines) < 3:
                return lines, font
    return lines, font


def wrapped(title: str, line: int = LINE) -> list[str]:
    """A title broken into lines of at most so many columns, about as long as one another."""
    pieces = [part for piece in _pieces(title) for part in _cut(piece)]
    lines = _filled(pieces, line)
    if len(lines) < 2:
        return lines
    for split in (*(_joined(pieces, end) for end in (_MARK, _PHRASE, _NAME)), pieces):
        longest = max(width(piece.strip()) for piece in split)
        for most in range(longest, line + 1):
            if len(even := _filled(split, most)) == len(lines):
                return even
    return lines


def _pieces(title: str) -> list[str]:
    """Return the pieces a title may be wrapped at, each with the space before it."""
    ends = [found.end() for found in _PIECE.finditer(title)]
    return [title[a:b] for a, b in zip([0, *ends], ends, strict=False)]


def _joined(pieces: list[str], end: re.Pattern) -> list[str]:
    """Join pieces that break only where the letters on both sides match."""
    joined = pieces[:1]
    for piece in pieces[1:]:
        if end.fullmatch(joined[-1][-1] + piece[0]):
            joined.append(piece)
        else:
            joined[-1] += piece
    return joined


def _cut(piece: str) -> list[str]:
    """A piece that no line holds, in several."""
    if width(piece.strip()) <= LINE:
        return [piece]
    bare = piece.strip()
    most = next(place for place in range(len(bare), 0, -1) if width(bare[:place]) <= LINE)
    at = bare.rfind("-", 0, most) + 1 or most
    return [bare[:at], *_cut(bare[at:])]


def _filled(pieces: list[str], most: int) -> list[str]:
    """Lines of at most so many columns, each as full as can be."""
    lines: list[str] = []
    for piece in pieces:
        if lines and width(lines[-1] + piece) <= most:
            lines[-1] += piece
        else:
            lines.append(piece.strip())
    return lines
