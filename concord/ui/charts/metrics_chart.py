"""Means of a metric by answering model, and correlations with annotators: dots with intervals.

No Streamlit here.
"""

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from textwrap import wrap
from typing import NamedTuple

import plotly.graph_objects as go

from concord.messages import counted, joined, said
from concord.reports.cells import written
from concord.reports.metrics.metric_mean import MetricMean
from concord.reports.metrics.metric_validity import Validity
from concord.reports.metrics.metrics import MetricValues
from concord.stats.core.estimate import Estimate
from concord.ui import style
from concord.ui.charts.charts import framed
from concord.ui.charts.facet import mark, rows_of_names
from concord.ui.language import say, word

_ROW, _LINE, _FOOT = 46, 16, 62
_LETTERS = 44  # of a name in a line, which a screen of 390 px holds
_BELOW, _ABOVE = 0.4, 0.12  # of a row, where a line is clear of the names
_AIR = 0.04
_AWAY = 8  # pixels from the title to the name of the first row


class Dot(NamedTuple):
    """A dot of a chart: an estimate on `n` answers."""

    found: Estimate
    n: int


def by_model(row: MetricValues, title: str) -> go.Figure:
    """The mean of each answering model with its interval; the mean of all is a grey line."""
    models = means(row)
    looks = style.judge_looks(list(models))
    chart = dots(models, title, looks, say("mean"))
    _line_beside(chart, row.mean, len(models))
    return chart


def means(row: MetricValues) -> dict[str, Dot]:
    """Return the mean of each answering model."""
    return {name: Dot(one.estimate, one.n) for name, one in row.by_model.items() if one.n}


def estimates(rows: Sequence[Validity]) -> dict[str, Dot]:
    """Return the correlations that are defined by the names of their metrics."""
    known = (row for row in rows if row.correlation.value is not None)
    return {row.name: Dot(row.correlation, row.n) for row in known}


def correlations(rows: Sequence[Validity], title: str, axis: str) -> go.Figure:
    """Plot each metric's correlation with annotators, best first; 0 is a grey line."""
    known = estimates(rows)
    chart = dots(known, title, dict.fromkeys(known, style.judge_looks(["one"])["one"]), axis)
    _line_beside(chart, 0.0, len(known))
    return chart


def dots(
    found: Mapping[str, Dot], title: str, looks: Mapping[str, style.Look], axis: str
) -> go.Figure:
    """A row with dot and interval for each named estimate; `axis` says what is drawn."""
    chart = go.Figure()
    names = list(found)
    for place, (name, one) in enumerate(found.items()):
        row, hover = len(names) - 1 - place, escape(say(_figure(name, one)))
        chart.add_trace(mark(one.found, row, looks[name].marker(12), name, hover))
    called = [
        _folded(f"{word(name)}: {written(one.found, 'number')}") for name, one in found.items()
    ]
    row = _ROW + _LINE * (max(map(len, called), default=1) - 1)
    rows_of_names(chart, called)
    chart.update_xaxes(range=_range(found.values()), fixedrange=True, title=axis)
    return framed(chart, title, row * max(1, len(names)), _AWAY, _FOOT)


def _line_beside(chart: go.Figure, x: float, rows: int) -> None:
    """A grey line at x in each row, below the name, so that it crosses none."""
    for row in range(rows):
        place = {"x0": x, "x1": x, "y0": row - _BELOW, "y1": row + _ABOVE}
        chart.add_shape(type="line", layer="below", line=style.CEILING, **place)


def _figure(name: str, one: Dot) -> str:
    figure, answers = written(one.found, "number"), counted(one.n, "answer")
    return said("{name}: {number}, {answers}", name=name, number=figure, answers=answers)


def _folded(name: str) -> list[str]:
    """A name in as many lines as it takes."""
    return wrap(name, _LETTERS) or [name]


def alt(found: Mapping[str, Dot]) -> str:
    """A chart of dots in words."""
    parts = (
        said("{name} {number}", name=name, number=written(one.found, "number"))
        for name, one in found.items()
    )
    return said("{parts}.", parts=joined("; ", parts))


def model_title(row: MetricValues, title: str, better: str) -> str:
    """Return a title: the best and the worst answering model by a metric."""
    known = {name: one.mean for name, one in row.by_model.items() if one.n}
    if len(known) < 2:
        return said("{title}: {mean:.2f}", title=title, mean=row.mean)
    order = sorted(known, key=known.get, reverse=better == "higher")
    first, last = order[0], order[-1]
    best, worst = f"{known[first]:.2f}", f"{known[last]:.2f}"
    if best == worst:
        return said("{title}: {mean} for every answering model", title=title, mean=worst)
    ends = [row.by_model[name] for name in (first, last)]
    return said(
        "{title}: {first} is best with {best}, {last} last with {worst}"
        if _apart(*ends)
        else "{title}: {first} is best with {best}, {last} last with {worst}, possibly by chance",
        title=title,
        first=first,
        best=best,
        last=last,
        worst=worst,
    )


def _apart(one: MetricMean, other: MetricMean) -> bool:
    """Return True where the confidence intervals of two means do not overlap."""
    if None in (one.low, other.low):
        return False
    return one.low > other.high or other.low > one.high


def _range(found: Iterable[Dot]) -> list[float]:
    ends = [end for one in found for end in one.found[:3]]
    known = [0.0, *(end for end in ends if end is not None)]
    air = _AIR * (max(known) - min(known) or 1)
    return [min(known) - air, max(known) + air]
