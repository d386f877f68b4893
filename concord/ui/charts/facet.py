"""Facet: one part of a chart with its judges in rows, the axis of its figure, its marks."""

from collections.abc import Callable, Sequence
from html import escape
from typing import Any, NamedTuple

import plotly.graph_objects as go

from concord.messages import Said, said
from concord.reports.agreement.results import AgreementRow
from concord.reports.cells import percent, written
from concord.stats.core.estimate import Estimate
from concord.stats.statistics import BY_KEY, CHARTED, Statistic
from concord.ui import style
from concord.ui.language import say
from concord.ui.style import Look

# Reasons that are too long for a narrow chart, by their code; the text alternative has them whole.
_SHORT = dict.fromkeys(
    ("continuous_grades", "continuous_grades_need_cut"), said("undefined: continuous numbers")
)
_TICKS = (0, 0.2, 0.4, 0.6, 0.8, 1)


class FigureAxis(NamedTuple):
    """One figure on a chart.

    Attributes:
        title: What the axis shows, of answers.
        verb: How a sentence says it of a judge, before the value.
        said: An estimate in words, with its interval.
        short: A value alone in words.
        constant: The keys of the constant's value and of its score in `majority_baseline`.
        better: A value by which judges are ordered, the best one highest.
        of_units: What the axis shows of units, by what they are called; None where it is the same.
    """

    title: str
    verb: str
    said: Callable[[Estimate], str]
    short: Callable[[float], str]
    constant: tuple[str, str]
    better: Callable[[float], float]
    of_units: Callable[[str], Said] | None = None

    def layout(self, rows: Sequence[AgreementRow], key: str) -> dict:
        """The x axis as plotly has it; wide enough for every interval and line."""
        if self.short is _percent:
            return {"range": [-0.01, 1.01], "tickformat": ".0%", "tickvals": _TICKS}
        ends = [_ends(of.statistics[key]) for row in rows for of in (row, row.ceiling)]
        ends.append([getattr(row.majority_baseline, self.constant[0], None) for row in rows])
        known = [value for each in ends for value in each if value is not None]
        if BY_KEY[key].kind == "difference":
            reach = max([0.5, *map(abs, known)]) * 1.08
            return {"range": [-reach, reach], "tickformat": "+.1f"}
        return {"range": [min([-0.01, *known]) * 1.08, 1.02], "tickformat": ".1f"}


def _ends(found: Estimate) -> tuple[float | None, ...]:
    return found[:3]


def _percent(value: float) -> str:
    return f"{percent(value)}%"


def _signed(value: float) -> str:
    return f"{value:+.2f}"


def _plain(value: float) -> str:
    return f"{value + 0.0:.2f}"


def _figure_axis(one: Statistic) -> FigureAxis:
    short = {"share": _percent, "difference": _signed, "number": _plain}[one.kind]
    return FigureAxis(
        one.axis.title,
        one.axis.verb,
        lambda found: written(found, one.kind),
        short,
        (one.baseline, one.baseline_score),
        one.better,
        one.axis.of_units,
    )


AXES = {one.key: _figure_axis(one) for one in CHARTED}


class Facet(NamedTuple):
    """One part of a chart.

    Attributes:
        chart: The chart.
        place: Which part of it, from 1, top to bottom.
        axis: What it shows.
        reach: The least and the largest value in sight.
        notes: The annotations of all parts, which `rows_of_names` writes: plotly validates all of
            a chart whenever one is added to it.
    """

    chart: go.Figure
    place: int
    axis: FigureAxis
    reach: tuple[float, float]
    notes: list[dict]

    def at(self, share: float) -> float:
        """Return the value at this share of the width."""
        return self.reach[0] + share * (self.reach[1] - self.reach[0])


def dot(
    facet: Facet,
    y: float,
    name: str,
    found: Estimate,
    n: int,
    look: Look,
    worded: bool = True,
    noun: str = said("answers"),
) -> None:
    """Draw a statistic as a marker with its CI, and its value or why it is undefined below."""
    if found.value is None:
        if worded:
            code = getattr(found.why_none, "code", None)
            _row_note(facet, y, escape(say(_SHORT.get(code, found.why_none))))
        return
    words = facet.axis.said(found)
    on = said("{n:,} {units}", n=n, units=noun)
    hover = [say("{name}: {figure}, {on}", name=escape(name), figure=words, on=on)]
    hover += [say(found.why_none)] if found.why_none else []
    trace = mark(found, y, look.marker(12), name, "<br>".join(hover))
    facet.chart.add_trace(trace.update(text=[words]), row=facet.place, col=1)
    if worded:
        _value_note(facet, found.value, y, words)


def upright(facet: Facet, x: float, line: dict) -> None:
    """A line from the foot of a facet to its head, behind the markers."""
    facet.chart.add_shape(type="line", x0=x, x1=x, line=line, **_whole_height(facet))


def band(facet: Facet, low: float, high: float, colour: str) -> None:
    """A light band from the foot of a facet to its head, behind the markers."""
    look = {"fillcolor": colour, "opacity": 0.13, "line_width": 0}
    facet.chart.add_shape(type="rect", x0=low, x1=high, **look, **_whole_height(facet))


def _whole_height(facet: Facet) -> dict[str, str | int]:
    x, y = _axis("x", facet.place), _domain("y", facet.place)
    return {"xref": x, "yref": y, "y0": 0, "y1": 1, "layer": "below"}


def _value_note(facet: Facet, x: float, y: float, words: str) -> None:
    """The value below its marker: a note, since those take the colour of text in any theme."""
    side = "center" if x < facet.at(0.87) else "right"
    below = _axes(facet) | {"xanchor": side, "yanchor": "top", "yshift": -6}
    facet.notes.append(style.words(x, y, words, **below))


def _row_note(facet: Facet, y: float, words: str) -> None:
    inside = _axes(facet) | {"xanchor": "left", "yanchor": "top", "font": None}
    facet.notes.append(style.words(facet.at(0.02), y, words, **inside))


def rows_of_names(
    chart: go.Figure,
    names: Sequence[str | Sequence[str]],
    facets: int = 1,
    notes: Sequence[dict] = (),
) -> None:
    """Names above their rows, inside the plot, so that long ones take no width from it.

    A name that is a list has as many lines. They are notes and not tick labels, since those would
    hide the labels of the other axis. `notes` are those of the facets.
    """
    chart.update_yaxes(
        tickvals=list(range(len(names))),
        showticklabels=False,
        range=[-0.6, len(names) - 0.4],
        fixedrange=True,
    )
    clear = {"xshift": 12, "yshift": 7}  # of a line at 0, and of the marker
    left = {"align": "left", "xanchor": "left", "yanchor": "bottom"} | clear
    labels = [
        style.words(
            0,
            row,
            "<br>".join(map(escape, [name] if isinstance(name, str) else name)),
            xref=_domain("x", place),
            yref=_axis("y", place),
            **left,
        )
        for place in range(1, facets + 1)
        for row, name in enumerate(reversed(names))
    ]
    chart.layout.annotations = (*chart.layout.annotations, *notes, *labels)


def note(
    facet: Facet, x: float | None, words: str, side: str, up: int, size: int, hover: str = ""
) -> None:
    """Words above a facet, `up` pixels over its edge; at its left end without `x`."""
    above = {
        "xref": _domain("x", facet.place) if x is None else _axis("x", facet.place),
        "yref": _domain("y", facet.place),
        "xanchor": side,
        "yanchor": "bottom",
        "yshift": up,
        "font": {"size": size},
        "hovertext": escape(hover) or None,
    }
    facet.notes.append(style.words(0 if x is None else x, 1, words, **above))


def _axes(facet: Facet) -> dict[str, str]:
    return {"xref": _axis("x", facet.place), "yref": _axis("y", facet.place)}


def _domain(axis: str, place: int) -> str:
    """The part of the chart that a facet fills, as plotly calls it."""
    return " ".join((_axis(axis, place), "domain"))


def _axis(axis: str, place: int) -> str:
    """An axis of a facet, as plotly calls it: "x", "x2", ..."""
    return f"{axis}{place}" if place > 1 else axis


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
