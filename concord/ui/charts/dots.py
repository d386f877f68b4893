"""Draw estimates as dots with their intervals, a row each."""

from collections.abc import Iterable
from html import escape
from textwrap import wrap

import plotly.graph_objects as go

from concord.messages import counted, joined, said
from concord.reports.cells import written
from concord.reports.charts import Dots
from concord.stats.core.estimate import Estimate
from concord.ui import style
from concord.ui.charts.frame import framed, mark, rows_of_names
from concord.ui.language import say, word

_ROW, _LINE, _FOOT = 46, 16, 62
_LETTERS = 44  # of a name in a line, which a screen of 390 px holds
_BELOW, _ABOVE = 0.4, 0.12  # of a row, where a line is clear of the names
_AIR = 0.04
_AWAY = 8  # pixels from the title to the name of the first row


def draw(of: Dots) -> go.Figure:
    """Draw a chart; its reference line is grey and dashed."""
    chart, table = go.Figure(), of.table
    for place, (name, found, n) in enumerate(table.rows):
        hover = said(
            "{name}, {answers}", name=_named(of, name, found), answers=counted(n, "answer")
        )
        row = len(table.rows) - 1 - place
        chart.add_trace(
            mark(found, row, _look(of, place).marker(12), word(name), escape(say(hover)))
        )
    called = [
        wrap(say(_named(of, name, found)), _LETTERS) or [name] for name, found, _ in table.rows
    ]
    layout = rows_of_names(called)
    layout["xaxis"] = {
        "range": _range(found for _, found, _ in table.rows),
        "fixedrange": True,
        "title": {"text": say(table.columns[1].title)},
    }
    if of.line is not None:
        layout["shapes"] = _line_beside(of.line, len(called))
    row = _ROW + _LINE * (max(map(len, called), default=1) - 1)
    return framed(chart, say(table.title), row * max(1, len(called)), _AWAY, _FOOT, **layout)


def _named(of: Dots, name: str, found: Estimate) -> str:
    return joined(": ", [name, written(found, of.table.columns[1].kind)])


def _look(of: Dots, place: int) -> style.GraderStyle:
    """Answering models differ, annotators and metrics do not."""
    return style.look({"models": place, "annotators": "annotators"}.get(of.rows_are, 0))


def _line_beside(x: float, rows: int) -> list[dict]:
    """A grey line at x in each row, below the name, so that it crosses none."""
    look = {"type": "line", "layer": "below", "line": style.CEILING, "x0": x, "x1": x}
    return [look | {"y0": row - _BELOW, "y1": row + _ABOVE} for row in range(rows)]


def _range(found: Iterable[Estimate]) -> list[float]:
    ends = [end for one in found for end in one[:3]]
    known = [0.0, *(end for end in ends if end is not None)]
    air = _AIR * (max(known) - min(known) or 1)
    return [min(known) - air, max(known) + air]
