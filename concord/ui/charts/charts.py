"""Plotly charts of report results; no Streamlit here.

Each comes with a text alternative. Titles state the finding and wrap on narrow screens.
"""

import re
from collections.abc import Mapping, Sequence
from html import escape
from types import MappingProxyType

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from concord.messages import capital, joined, said
from concord.reports.agreement.results import AgreementRow
from concord.reports.cells import percent
from concord.reports.panel.panel import COMPOSITE
from concord.reports.panel.unit_words import plural, score
from concord.stats.core.estimate import Estimate
from concord.stats.statistics import BY_KEY
from concord.text.display import width
from concord.ui import style
from concord.ui.charts.facet import AXES, Facet, FigureAxis, band, dot, note, rows_of_names, upright
from concord.ui.language import say
from concord.ui.style import Look

_ROW, _HEAD, _FOOT = 48, 60, 58
_HEADING = 0.3  # how far the name of a facet reaches
# Chinese and Japanese titles break between any two letters, except before a closing mark; all else,
# and Korean too, between words.
LINE = 40  # columns of a title that fit a window of 390 pixels; a wide letter takes two
_FREE = "\u2e80-\u2fff\u3040-\u30ff\u31c0-\u31ff\u3400-\u9fff"
_CLOSING = "、。，．：；！？）」』】》〉”’"
_PIECE = re.compile(rf"[{_FREE}][{_CLOSING}]*|[^\s{_FREE}]+")


def looks(rows: Sequence[AgreementRow]) -> dict[str, Look]:
    """The look of every judge in a report, the same on every chart of it; the floor is grey."""
    return style.looks((row.judge, row.floor) for row in rows)


def agreement(
    rows: Sequence[AgreementRow],
    figure: str = "exact",
    known: Mapping[str, Look] | None = None,
    called: Mapping[str, str] = MappingProxyType({}),
) -> go.Figure:
    """Plot every judge's statistic with its CI, one facet per criterion, on a shared axis.

    Inter-annotator agreement is a dashed line with its CI as a light band, the majority-class
    baseline a grey line; an undefined one is labelled so.

    `rows` are without those by answering model, `figure` is one of `facet.AXES`, and `known` are
    the looks of a report of more rows; `called` is what a sentence calls a criterion by its name.
    """
    rows, axis = [row for row in rows if row.criterion != COMPOSITE], AXES[figure]
    criteria = list(dict.fromkeys(row.criterion for row in rows))
    known, judges = known or looks(rows), _best_first(rows, figure)
    inner = len(criteria) * (_ROW * len(judges) + _HEAD) - _HEAD
    chart = make_subplots(
        rows=len(criteria),
        cols=1,
        shared_xaxes=True,
        vertical_spacing=_HEAD / inner if len(criteria) > 1 else 0,
    )
    layout, notes = axis.layout(rows, figure), []
    for place, criterion in enumerate(criteria, 1):
        mine = [row for row in rows if row.criterion == criterion]
        facet = Facet(chart, place, axis, tuple(layout["range"]), notes)
        for row in mine:
            y = len(judges) - 1 - judges.index(row.judge)
            look, noun = known[row.judge], plural(row.units)
            dot(facet, y, row.judge, row.statistics[figure], row.n, look, noun=noun)
        _lines(facet, mine, figure)
        note(facet, None, f"<b>{escape(_spoken(mine[0], called))}</b>", "left", 18, 14)
    rows_of_names(chart, judges, len(criteria), notes)
    chart.update_xaxes(showgrid=True, title="", **layout)
    chart.update_xaxes(title=say(_axis_title(axis, rows[0])), row=len(criteria), col=1)
    return framed(chart, "", inner, _HEAD, _FOOT)


def agreement_alt(
    rows: Sequence[AgreementRow],
    figure: str = "exact",
    called: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """The agreement chart in words; what is undefined with its reason."""
    rows, axis = [row for row in rows if row.criterion != COMPOSITE], AXES[figure]
    values = [
        said(
            "{judge} on {criterion} {figure}, annotators {annotators}",
            judge=row.judge,
            criterion=_spoken(row, called),
            figure=_worded(axis, row.statistics[figure]),
            annotators=_worded(axis, row.ceiling.statistics[figure]),
        )
        for row in rows
    ]
    what = capital(_axis_title(axis, rows[0]) if rows else axis.title)
    return said("{what}: {values}.", what=what, values=joined("; ", values))


def by_answer_model(rows: Sequence[AgreementRow], look: Look, title: str = "") -> go.Figure:
    """One judge's exact agreement, and annotators', on each answering model's answers alone.

    `rows` are of one judge and criterion, one per answering model.
    """
    chart = make_subplots(rows=1, cols=1)
    models = [row.answer_model for row in rows]
    facet = Facet(chart, 1, AXES["exact"], (0, 1), [])
    for place, row in enumerate(reversed(rows)):
        dot(facet, place, row.judge, row.statistics["exact"], row.n, look, noun=plural(row.units))
        annotators = row.ceiling.statistics["exact"], row.ceiling.n, style.ANNOTATORS
        dot(facet, place + 0.28, say("annotators"), *annotators, False, plural(row.units))
    named_once = set()
    for trace in chart.data:
        trace.update(showlegend=trace.name not in named_once)
        named_once.add(trace.name)
    rows_of_names(chart, models, notes=facet.notes)
    axis = AXES["exact"]
    chart.update_xaxes(
        showgrid=True, title=say(_axis_title(axis, rows[0])), **axis.layout(rows, "exact")
    )
    return framed(chart, title, _ROW * len(rows) + 20, 40, _FOOT, legend=None)


def by_answer_model_title(rows: Sequence[AgreementRow]) -> str:
    """Return a title: the answering models with most and least agreement."""
    known = [row for row in rows if row.statistics["exact"].value is not None]
    if len(known) < 2:
        return said("{judge} by answering model", judge=rows[0].judge)
    least, most = (end(known, key=lambda row: row.statistics["exact"].value) for end in (min, max))
    if least is most or least.statistics["exact"].value == most.statistics["exact"].value:
        every = percent(most.statistics["exact"].value)
        return said(
            "{judge} agrees exactly on {share}% of each model's {units}",
            judge=rows[0].judge,
            share=every,
            units=plural(most.units),
        )
    return said(
        "{judge} agrees exactly on {most}% of {first}'s {units} and {least}% of {last}'s",
        judge=rows[0].judge,
        most=percent(most.statistics["exact"].value),
        first=most.answer_model,
        units=plural(most.units),
        least=percent(least.statistics["exact"].value),
        last=least.answer_model,
    )


def by_answer_model_alt(rows: Sequence[AgreementRow]) -> str:
    """The same in words; what is undefined with its reason."""
    axis = AXES["exact"]
    values = [
        said(
            "{model} {figure} of {n}, annotators {annotators}",
            model=row.answer_model,
            figure=_worded(axis, row.statistics["exact"]),
            n=row.n,
            annotators=_worded(axis, row.ceiling.statistics["exact"]),
        )
        for row in rows
    ]
    return said(
        "Exact agreement of {judge} by answering model: {values}.",
        judge=rows[0].judge,
        values=joined("; ", values),
    )


def title_height(title: str) -> int:
    """The pixels a title takes, in the language of who reads it."""
    return 20 * len(wrapped(say(title))) + (8 if title else 0)


def framed(
    chart: go.Figure, title: str, inner: int, head: int, foot: int, legend: bool | None = False
) -> go.Figure:
    """Return a chart of `inner` pixels in the house style, its title above it.

    `head` pixels lie between title and plot, `foot` below; with `legend` None several traces have
    a legend and one has none.
    """
    top = head + title_height(title)
    titled(style.styled(chart, top + inner + foot), title)
    return chart.update_layout(showlegend=legend, margin={"t": top, "b": foot, "l": 18, "r": 18})


def titled(chart: go.Figure, title: str) -> go.Figure:
    """Put a title in the top left corner; the figure has its height already."""
    if not title:
        return chart
    return chart.update_layout(
        title={
            "text": "<br>".join(map(escape, wrapped(say(title)))),
            "font": {"size": 14},
            "x": 0,
            "xref": "container",
            "xanchor": "left",
            "y": 1 - 18 / chart.layout.height,
            "yref": "container",
            "yanchor": "top",
            "pad": {"t": 0, "l": 4},
        }
    )


def _best_first(rows: Sequence[AgreementRow], figure: str) -> list[str]:
    """The judges by their figure on the first criterion; the undefined after, the floor last."""
    first = [row for row in rows if row.criterion == rows[0].criterion]

    def order(row: AgreementRow) -> tuple:
        value = row.statistics[figure].value
        return row.floor, value is None, -AXES[figure].better(value or 0)

    return [row.judge for row in sorted(first, key=order)]


def _lines(facet: Facet, rows: Sequence[AgreementRow], figure: str) -> None:
    """Add the reference lines of a facet, from the row with the largest overlap of annotators."""
    axis = facet.axis
    widest = max(rows, key=lambda row: row.ceiling.n)
    level, given = (getattr(widest.majority_baseline, key, None) for key in axis.constant)
    if level is not None:
        line = {"color": style.CONSTANT.colour, "width": 2}
        upright(facet, level, line)
        always = {"score": score(widest.units, given), "value": axis.short(level)}
        words = say("always {score}: {value}", **always)
        note(facet, level, words, _side(facet, level), 2, 12)
    if BY_KEY[figure].kind == "difference":
        line = {"color": style.ANNOTATORS.colour, "width": 2}
        upright(facet, 0, style.CEILING | line)
        note(facet, 0, say("no bias"), "left", 18, 12)
        return
    _annotators(facet, widest.ceiling.statistics[figure])


def _annotators(facet: Facet, annotators: Estimate) -> None:
    """Annotators' own agreement, or a word that it is unknown."""
    if annotators.value is None:
        why = say(annotators.why_none)
        note(facet, facet.at(0.99), say("annotators: unknown"), "right", 18, 12, why)
        return
    if annotators.low is not None:
        band(facet, annotators.low, annotators.high, style.ANNOTATORS.colour)
    line = style.CEILING | {"color": style.ANNOTATORS.colour, "width": 2}
    upright(facet, annotators.value, line)
    words = say("annotators: {value}", value=facet.axis.short(annotators.value))
    beside = max(annotators.value, facet.at(_HEADING))  # the facet's name is on the left
    note(facet, beside, words, _side(facet, beside), 18, 12, facet.axis.said(annotators))


def _side(facet: Facet, value: float) -> str:
    """Return the anchor of a line's label that keeps it inside the facet."""
    return "left" if value < facet.at(0.75) else "right"


def _worded(axis: FigureAxis, found: Estimate) -> str:
    """An estimate in words, or that it is undefined and why."""
    if found.value is not None:
        return axis.said(found)
    return said("undefined ({why})", why=found.why_none)


def _spoken(row: AgreementRow, called: Mapping[str, str]) -> str:
    if row.units:
        return row.units.title
    return called.get(row.criterion) or row.criterion.replace("_", " ")


def _axis_title(axis: FigureAxis, row: AgreementRow) -> str:
    """Return the axis title; with units it counts labels and not answers."""
    return axis.of_units(plural(row.units)) if row.units and axis.of_units else axis.title


def wrapped(title: str) -> list[str]:
    """A title broken into lines, about as long as one another."""
    pieces = [part for piece in _pieces(title) for part in _cut(piece)]
    lines = _filled(pieces, LINE)
    if len(lines) < 2:
        return lines
    longest = min(max(width(piece.strip()) for piece in pieces), LINE)
    tries = (_filled(pieces, most) for most in range(longest, LINE))
    return next((even for even in tries if len(even) == len(lines)), lines)


def _pieces(title: str) -> list[str]:
    """Return the pieces a title may be wrapped at, each with the space before it."""
    ends = [found.end() for found in _PIECE.finditer(title)]
    return [title[a:b] for a, b in zip([0, *ends], ends, strict=False)]


def _cut(piece: str) -> list[str]:
    """A piece that no line holds, in several."""
    if width(piece.strip()) <= LINE:
        return [piece]
    bare = piece.strip()
    at = next(place for place in range(len(bare), 0, -1) if width(bare[:place]) <= LINE)
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
