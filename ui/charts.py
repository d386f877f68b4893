"""The charts, as plotly figures made from what the reports give; no Streamlit here.

Each has its text alternative beside it. Titles say the finding and wrap for narrow screens.
"""

from collections.abc import Sequence
from html import escape
from textwrap import wrap

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from reports.panel import COMPOSITE
from reports.simulated import named
from reports.text import percent, share
from ui import style
from ui.style import Look

LINE = 40  # letters of a title that fit a window of 390 pixels
_TICKS = (0, 0.2, 0.4, 0.6, 0.8, 1)
_ROW, _HEAD, _FOOT = 48, 60, 58
FIGURES = {
    "exact": "answers with a person's exact score",
    "within_one": "answers at most one point from a person's score",
    "caught": "the answers people failed that the judge failed too",
}
_SAID = {"exact": "exact on", "within_one": "within one on", "caught": "caught"}


def looks(rows: Sequence[dict]) -> dict[str, Look]:
    """The look of every judge in a report, the same on every chart of it; the floor is grey."""
    floors = {row["judge"] for row in rows if row.get("floor")}
    names = list(dict.fromkeys(row["judge"] for row in rows))
    judges = style.judge_looks([name for name in names if name not in floors])
    return {name: judges.get(name, style.BASELINE) for name in names}


def agreement(rows: Sequence[dict], figure: str = "exact", title: str = "") -> go.Figure:
    """Every judge's share with its interval, a facet per criterion, on one axis from 0 to 100%.

    People's own agreement is a dashed line with its interval as a light band, the constant grade a
    grey line.

    Args:
        rows: Rows of the agreement report, without those by answering model.
        figure: One of `FIGURES`.
        title: The finding.
    """
    rows = [row for row in rows if row["criterion"] != COMPOSITE]
    criteria = list(dict.fromkeys(row["criterion"] for row in rows))
    known = looks(rows)
    judges = _best_first(rows, figure)
    top = _HEAD + title_height(title)
    inner = len(criteria) * (_ROW * len(judges) + _HEAD) - _HEAD
    chart = make_subplots(
        rows=len(criteria),
        cols=1,
        shared_xaxes=True,
        vertical_spacing=_HEAD / inner if len(criteria) > 1 else 0,
    )
    for place, criterion in enumerate(criteria, 1):
        mine = [row for row in rows if row["criterion"] == criterion]
        for row in mine:
            y = len(judges) - 1 - judges.index(row["judge"])
            _dot(chart, place, y, row["judge"], row[figure], row["n"], known[row["judge"]])
        _lines(chart, place, mine, figure)
        _note(chart, place, 0, f"<b>{_spoken(criterion)}</b>", "left", 18, 14)
    _rows_of_names(chart, judges, len(criteria))
    style.share_axis(chart, "")
    chart.update_xaxes(tickvals=_TICKS)
    chart.update_xaxes(title=f"share of {FIGURES[figure]}", row=len(criteria), col=1)
    height = top + inner + _FOOT
    titled(style.styled(chart, height), title)
    return chart.update_layout(showlegend=False, margin={"t": top, "b": _FOOT, "l": 18, "r": 18})


def agreement_title(rows: Sequence[dict], criterion: str, figure: str = "exact") -> str:
    """Which judge comes closest on a criterion, and where people stand, in a few words."""
    mine = [row for row in rows if row["criterion"] == criterion]
    known = [row for row in mine if row[figure]["value"] is not None and not row["floor"]]
    if not known:
        return f"No judge has a figure for {_spoken(criterion)} yet"
    top = max(known, key=lambda row: row[figure]["value"])
    people = top["ceiling"][figure]["value"]
    beside = "" if people is None else f", people {percent(people)}%"
    verb = " comes closest" if len(known) > 1 else ""
    return (
        f"On {_spoken(criterion)} {named(top['judge'], top['simulated'])}{verb}: "
        f"{_SAID[figure]} {percent(top[figure]['value'])}%{beside}"
    )


def agreement_alt(rows: Sequence[dict], figure: str = "exact") -> str:
    """The agreement chart in words."""
    rows = [row for row in rows if row["criterion"] != COMPOSITE]
    said = [
        f"{row['judge']} on {_spoken(row['criterion'])} {share(row[figure])}, people "
        f"{share(row['ceiling'][figure])}"
        for row in rows
    ]
    return f"Share of {FIGURES[figure]}: {'; '.join(said)}."


def by_answer_model(rows: Sequence[dict], look: Look, title: str = "") -> go.Figure:
    """One judge's exact agreement, and people's, on each answering model's answers alone.

    Args:
        rows: Rows of one judge and criterion, one per answering model.
        look: The judge's look.
        title: The finding.
    """
    chart = make_subplots(rows=1, cols=1)
    models = [row["answer_model"] for row in rows]
    for place, row in enumerate(reversed(rows)):
        _dot(chart, 1, place, row["judge"], row["exact"], row["n"], look)
        people = row["ceiling"]["exact"]
        _dot(chart, 1, place + 0.28, "people", people, row["ceiling"]["n"], style.PEOPLE, False)
    named_once = set()
    for trace in chart.data:
        trace.update(showlegend=trace.name not in named_once)
        named_once.add(trace.name)
    _rows_of_names(chart, models)
    style.share_axis(chart, f"share of {FIGURES['exact']}").update_xaxes(tickvals=_TICKS)
    top = 40 + title_height(title)
    titled(style.styled(chart, top + _ROW * len(rows) + 20 + _FOOT), title)
    return chart.update_layout(margin={"t": top, "b": _FOOT, "l": 18, "r": 18})


def by_answer_model_title(rows: Sequence[dict]) -> str:
    """Where the judge agrees most and least."""
    known = [row for row in rows if row["exact"]["value"] is not None]
    if len(known) < 2:
        return f"{rows[0]['judge']} by answering model"
    least, most = (end(known, key=lambda row: row["exact"]["value"]) for end in (min, max))
    if least is most or least["exact"]["value"] == most["exact"]["value"]:
        every = percent(most["exact"]["value"])
        return f"{rows[0]['judge']} is exact on {every}% of every model's answers"
    return (
        f"{rows[0]['judge']} is exact on {percent(most['exact']['value'])}% of "
        f"{most['answer_model']}'s answers, {percent(least['exact']['value'])}% of "
        f"{least['answer_model']}'s"
    )


def by_answer_model_alt(rows: Sequence[dict]) -> str:
    """The same in words."""
    said = [f"{row['answer_model']} {share(row['exact'])} of {row['n']}" for row in rows]
    return f"Exact agreement of {rows[0]['judge']} by answering model: {'; '.join(said)}."


def wrapped(title: str) -> list[str]:
    """A title broken into lines that fit a narrow window."""
    return wrap(title, LINE)


def title_height(title: str) -> int:
    """The pixels a title takes."""
    return 20 * len(wrapped(title)) + (8 if title else 0)


def titled(chart: go.Figure, title: str) -> go.Figure:
    """Put a title in the top left corner; the figure has its height already."""
    if not title:
        return chart
    return chart.update_layout(
        title={
            "text": "<br>".join(map(escape, wrapped(title))),
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


def _best_first(rows: Sequence[dict], figure: str) -> list[str]:
    """The judges by their figure on the first criterion, the floor last."""
    first = [row for row in rows if row["criterion"] == rows[0]["criterion"]]
    first.sort(key=lambda row: (row["floor"], -(row[figure]["value"] or 0)))
    return [row["judge"] for row in first]


def _rows_of_names(chart: go.Figure, names: Sequence[str], facets: int = 1) -> None:
    """Names above their rows, inside the plot, so that long ones take no width from it.

    They are notes and not tick labels, since those would hide the labels of the other axis.
    """
    chart.update_yaxes(
        tickvals=list(range(len(names))),
        showticklabels=False,
        range=[-0.6, len(names) - 0.4],
        fixedrange=True,
    )
    for place in range(1, facets + 1):
        for row, name in enumerate(reversed(names)):
            chart.add_annotation(
                x=0,
                y=row,
                xref=f"x{place if place > 1 else ''} domain",
                yref=f"y{place if place > 1 else ''}",
                text=escape(name),
                xanchor="left",
                yanchor="bottom",
                yshift=5,
                showarrow=False,
                font={"size": 12},
            )


def _dot(
    chart: go.Figure,
    place: int,
    y: float,
    name: str,
    found: dict,
    n: int,
    look: Look,
    said: bool = True,
) -> None:
    """A share as a marker with its interval; its value in words below it."""
    if found["value"] is None:
        if said:
            _row_note(chart, place, y, found["why_none"])
        return
    chart.add_trace(
        go.Scatter(
            x=[found["value"]],
            y=[y],
            error_x=_bars(found) | {"color": look.colour, "thickness": 2, "width": 5},
            marker=look.marker(12),
            mode="markers+text" if said else "markers",
            text=[share(found)],
            textposition="bottom center" if found["value"] < 0.88 else "bottom left",
            textfont={"size": 12},
            name=name,
            hovertemplate=f"{name}: {share(found)}, {n:,} answers<extra></extra>",
        ),
        row=place,
        col=1,
    )


def _row_note(chart: go.Figure, place: int, y: float, words: str) -> None:
    chart.add_annotation(
        x=0.02, y=y, text=words, xanchor="left", yanchor="top", showarrow=False, row=place, col=1
    )


def _lines(chart: go.Figure, place: int, rows: Sequence[dict], figure: str) -> None:
    """What every judge is read against, from the row with the largest overlap of people."""
    widest = max(rows, key=lambda row: row["ceiling"]["n"])
    people = widest["ceiling"][figure]
    level, score = (widest["constant_baseline"].get(key) for key in _CONSTANT[figure])
    if level is not None:
        line = {"color": style.CONSTANT.colour, "width": 2}
        chart.add_vline(x=level, line=line, row=place, col=1, layer="below")
        _note(chart, place, level, f"always {score}: {percent(level)}%", _side(level), 2, 12)
    if people["value"] is None:
        return
    if people["low"] is not None:
        chart.add_vrect(
            x0=people["low"],
            x1=people["high"],
            fillcolor=style.PEOPLE.colour,
            opacity=0.13,
            line_width=0,
            layer="below",
            row=place,
            col=1,
        )
    line = style.CEILING | {"color": style.PEOPLE.colour, "width": 2}
    chart.add_vline(x=people["value"], line=line, row=place, col=1, layer="below")
    words = f"people: {percent(people['value'])}%"
    beside = max(people["value"], _HEADING)  # the facet's name stands on the left
    _note(chart, place, beside, words, _side(beside), 18, 12)


# The constant's share and score that stand beside a figure; a constant catches all or nothing.
_CONSTANT = {
    "exact": ("exact", "score"),
    "within_one": ("best_within_one", "best_within_one_score"),
    "caught": ("", ""),
}


_HEADING = 0.3


def _side(value: float) -> str:
    """Which end of the words stands at the line, so that they stay inside the facet."""
    return "left" if value < 0.75 else "right"


def _note(chart: go.Figure, place: int, x: float, words: str, side: str, up: int, size: int):
    """Words above a facet, `up` pixels over its edge."""
    chart.add_annotation(
        x=x,
        y=1,
        xref=f"x{place if place > 1 else ''}{'' if x else ' domain'}",
        yref=f"y{place if place > 1 else ''} domain",
        text=words,
        xanchor=side,
        yanchor="bottom",
        yshift=up,
        showarrow=False,
        font={"size": size},
    )


def _bars(found: dict) -> dict:
    """Error bars of an estimate; none where it has no interval."""
    low, high = (found["value"] if found[end] is None else found[end] for end in ("low", "high"))
    return {
        "type": "data",
        "symmetric": False,
        "array": [high - found["value"]],
        "arrayminus": [found["value"] - low],
    }


def _spoken(criterion: str) -> str:
    return criterion.replace("_", " ")
