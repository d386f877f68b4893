"""Chart of agreement against price or time, by judge.

The price axis is logarithmic, which has no position for zero or unknown: free judges are in a
column of their own on the left, those without a known price in one on the right.
"""

from dataclasses import replace
from html import escape
from math import ceil, floor, log10
from typing import NamedTuple

import plotly.graph_objects as go

from concord.messages import Numeral, Said, joined, said
from concord.reports.cells import written
from concord.reports.decision.document import price, seconds, verdict
from concord.reports.decision.finding import certifiable
from concord.reports.decision.results import (
    CANNOT_TELL,
    GOOD_ENOUGH,
    NOT,
    VERDICTS,
    Choice,
    JudgeFound,
)
from concord.reports.panel.simulated import named
from concord.stats.decision.deciding_figure import EXACT, FIGURES, DecidingFigure
from concord.ui import style
from concord.ui.charts.marks import error_bars
from concord.ui.language import say, word

AXES = {
    "cost_per_1000": said("USD per 1,000 answers"),
    "seconds": said("seconds per answer (median)"),
}
COLOURS = {GOOD_ENOUGH: "#009E73", NOT: "#D55E00", CANNOT_TELL: "#7A8087"}
_HEIGHT, _LETTERS = 460, 0.06  # pixels; a line of a label as a share of the axis
_STEP, _COLUMN = 0.1, 0.25  # between judges of one price, and of all of them, as shares of the axis
_LABELLED, _LINE = 3, 24  # more judges than this are named in a legend, a line each
_SIDES = ("left", "center", "right")
_UNCERTIFIED = said("cannot be certified")
_GREY = {"color": style.CONSTANT.colour, "width": 2}


def scatter(found: Choice, by: str = "cost_per_1000") -> go.Figure:
    """The deciding figure with its CI against price (or time), a point per judge.

    `by` is one of `AXES`.
    """
    figure, found = FIGURES[found.figure], _in_figure(found)
    rows = [row for row in found.judges if row.exact.value is not None]
    marks = columns(rows, by)
    places = apart(marks)
    chart = go.Figure()
    levels = _levels(found, figure)
    _lines(chart, levels, found.minimum, figure)
    _front(chart, rows, places, by)
    for number, row in enumerate(rows):
        _point(chart, found, row, places[row.judge], style.look(number).symbol)
    few = len(rows) <= _LABELLED
    bottom, top = _ends(rows, [*(one.value for one in levels), found.minimum or None], figure)
    letters = _LETTERS * (top - bottom)
    labels = _heights(found, rows, places, letters) if few else []
    for row, y in labels:
        _label(chart, found, row, places, y)
    _axis(chart, rows, marks, by, found.simulated)
    top = max([top, *(y + _height(found, row, letters) for row, y in labels)])
    chart.update_yaxes(range=[bottom, top], fixedrange=True, title=say(_axis_title(figure)))
    if figure.kind != "points":
        chart.update_yaxes(tickvals=[n / 5 for n in range(-5, 6)])
    if figure.kind == "share":
        chart.update_yaxes(tickformat=".0%")
    height = _HEIGHT if few else _HEIGHT + _LINE * len(rows)
    style.styled(chart, height).update_layout(showlegend=not few, hovermode="closest")
    legend = {"orientation": "v", "yanchor": "top", "y": -0.22, "x": 0, "xanchor": "left"}
    return chart.update_layout(margin={"l": 8, "r": 12, "t": 16, "b": 8}, legend=legend)


def _in_figure(found: Choice) -> Choice:
    """The look with the deciding figure drawn in the place of exact agreement."""
    if found.figure == EXACT:
        return found
    rows = tuple(replace(row, exact=row.value) for row in found.judges)
    return replace(found, judges=rows, majority_baseline=None)


class Level(NamedTuple):
    """What judges are compared with: its value, in words, and how its line is drawn."""

    value: float
    words: str
    line: dict[str, object]


def _levels(found: Choice, figure: DecidingFigure) -> list[Level]:
    """The human ceiling and the majority-class baseline where known; `found` is `_in_figure`."""
    every = []
    if found.ceiling is not None:
        words = say("annotators: {value}", value=_number(found.ceiling, figure))
        line = style.CEILING | {"color": style.ANNOTATORS.colour, "width": 2}
        every.append(Level(found.ceiling, words, line))
    constant = found.majority_baseline
    value = constant.exact if constant else found.baseline
    if value is not None:
        given = {"value": _number(value, figure)}
        label = (
            say("always {score}: {value}", score=constant.score, **given)
            if constant
            else say("always one score: {value}", **given)
        )
        every.append(Level(value, label, _GREY))
    return every


def _axis_title(figure: DecidingFigure) -> Said:
    if figure.key == EXACT:
        return said("exact agreement with an annotator")
    if figure.higher_is_better:
        return said("{figure}", figure=figure.title)
    return said("{figure}, lower is better", figure=figure.title)


def _written(row: JudgeFound, figure: DecidingFigure) -> str:
    return written(row.exact, "share" if figure.kind == "share" else "number")


def columns(rows: list[JudgeFound], by: str) -> dict[str, float]:
    """Return the x position of each judge's value, in decades.

    A value of 0 is left of all others, a missing one right of all.
    """
    known = {row.judge: log10(getattr(row, by)) for row in rows if getattr(row, by)}
    low, high = (min(known.values()), max(known.values())) if known else (0.0, 0.0)
    beside = max(0.5, 0.3 * (high - low))
    return {
        row.judge: high + beside
        if getattr(row, by) is None
        else known[row.judge]
        if getattr(row, by)
        else low - beside
        for row in rows
    }


def apart(places: dict[str, float]) -> dict[str, float]:
    """Return the positions with judges of one value side by side, so that none covers another."""
    width = max(places.values(), default=0.0) - min(places.values(), default=0.0)
    step = _STEP * max(0.5, width)
    found = {}
    for x in set(places.values()):
        same = [judge for judge in places if places[judge] == x]
        narrow = min(step, _COLUMN * max(0.5, width) / len(same))
        found |= {
            judge: x + narrow * (place - (len(same) - 1) / 2) for place, judge in enumerate(same)
        }
    return {judge: found[judge] for judge in places}


def alt(found: Choice) -> str:
    """The chart in words."""
    figure, found = FIGURES[found.figure], _in_figure(found)
    told = [
        said(
            "{judge}: {figure} {value}, {price} per 1,000 answers, {seconds} seconds per answer, "
            "{verdict}.",
            judge=named(row.judge, row.simulated),
            figure=figure.title,
            value=_written(row, figure),
            price=price(row),
            seconds=seconds(row),
            verdict=_in_words(found, row),
        )
        for row in found.judges
    ]
    if found.ceiling is not None:
        annotators = (
            said("Inter-annotator agreement: {value}.")
            if figure.higher_is_better
            else said("Between annotators: {value}.")
        )
        told.append(said(annotators, value=_number(found.ceiling, figure)))
    if found.majority_baseline:
        told.append(
            said(
                "Majority-class baseline (always {score}): {value}.",
                score=found.majority_baseline.score,
                value=_number(found.majority_baseline.exact, figure),
            )
        )
    elif found.baseline is not None:
        told.append(
            said(
                "Majority-class baseline (always one score): {value}.",
                value=_number(found.baseline, figure),
            )
        )
    return joined(" ", told)


def _ends(
    rows: list[JudgeFound], lines: list[float | None], figure: DecidingFigure
) -> tuple[float, float]:
    """Ends of the y axis: around all that is drawn, from 0 and to 1 where these are near."""
    ends = [end for row in rows for end in (row.exact.value, row.exact.low, row.exact.high)]
    drawn = [end for end in (*ends, *lines) if end is not None] or [0.0]
    low = min(drawn) - 0.1
    low = -0.02 if min(drawn) >= 0 and low <= 0.15 else low
    return low, 1.02 if figure.kind != "points" else max(drawn) + 0.1


def _point(chart: go.Figure, found: Choice, row: JudgeFound, x: float, symbol: str) -> None:
    exact, colour = row.exact, _colour(found, row)
    chart.add_scatter(
        x=[x],
        y=[exact.value],
        error_y=error_bars(exact, colour),
        marker={
            "color": colour,
            "symbol": f"{symbol}-open" if row.is_reference else symbol,
            "size": 14,
            "line": {"color": colour, "width": 2.5 if row.is_reference else 1},
        },
        mode="markers",
        name=f"{_name(row)}: <b style='color:{colour}'>{say(_in_words(found, row))}</b>",
        hovertemplate=_hover(row, FIGURES[found.figure]),
    )


def _colour(found: Choice, row: JudgeFound) -> str:
    """The colour of a verdict; that of good enough only where it can be certified."""
    return COLOURS[row.verdict if certifiable(found, row) else CANNOT_TELL]


def _in_words(found: Choice, row: JudgeFound) -> str:
    """The verdict on a line of the legend."""
    if row.verdict == GOOD_ENOUGH and row.confirmed and not certifiable(found, row):
        return joined(", ", (verdict(row), _UNCERTIFIED))
    return verdict(row)


def _name(row: JudgeFound) -> str:
    return escape(word(named(row.judge, row.simulated)))


def _hover(row: JudgeFound, figure: DecidingFigure) -> str:
    lines = [
        say(
            "{figure} {value} on {n} answers",
            figure=word(figure.title),
            value=_written(row, figure),
            n=row.n,
        ),
        say("{price} per 1,000 answers", price=price(row)),
        say("{seconds} s per answer", seconds=seconds(row)),
    ]
    return f"<b>{_name(row)}</b><br>{'<br>'.join(lines)}<extra></extra>"


def _heights(
    found: Choice, rows: list[JudgeFound], places: dict[str, float], letters: float
) -> list[tuple[JudgeFound, float]]:
    """Return label heights above the bars, pushed up where labels would overlap."""
    gap = letters / 4
    width = max(places.values(), default=0.0) - min(places.values(), default=0.0)
    placed: list[tuple[JudgeFound, float]] = []
    for row in sorted(rows, key=_top):
        near = [
            (taken, taken + _height(found, other, letters))
            for other, taken in placed
            if _apart(places, row, other) <= max(0.5, 0.45 * width)
        ]
        y = _top(row) + gap
        while any(y < end and begin < y + _height(found, row, letters) for begin, end in near):
            y += gap
        placed.append((row, y))
    return placed


def _height(found: Choice, row: JudgeFound, letters: float) -> float:
    """The height of a judge's label: its name, and its verdict in one to three lines."""
    return letters * (1 + len(_verdict_lines(found, row)))


def _verdict_lines(found: Choice, row: JudgeFound) -> list[str]:
    """The verdict on a line, below the role of the reference judge; then what bars it."""
    lines = [VERDICTS[row.verdict]]
    if row.is_reference:
        role = said("reference judge")
        lines = [role] if row.verdict == GOOD_ENOUGH else [role, *lines]
    return lines if certifiable(found, row) else [*lines, _UNCERTIFIED]


def _top(row: JudgeFound) -> float:
    exact = row.exact
    return exact.value if exact.high is None else exact.high


def _apart(places: dict[str, float], one: JudgeFound, other: JudgeFound) -> float:
    return abs(places[one.judge] - places[other.judge])


def _label(
    chart: go.Figure, found: Choice, row: JudgeFound, places: dict[str, float], y: float
) -> None:
    """The judge's name, and its verdict in its colour and in a word."""
    x, low, high = places[row.judge], min(places.values()), max(places.values())
    side = "center" if low == high else _SIDES[round(2 * (x - low) / (high - low))]
    lines = "<br>".join(map(say, _verdict_lines(found, row)))
    chart.add_annotation(
        x=x,
        y=y,
        text=f"{_name(row)}<br><b style='color:{_colour(found, row)}'>{lines}</b>",
        showarrow=False,
        xanchor=side,
        xshift={"left": -10, "right": 10}.get(side, 0),
        yanchor="bottom",
        align=side,
        font={"size": 12},
    )


def _front(chart: go.Figure, rows: list[JudgeFound], places: dict[str, float], by: str) -> None:
    """A dotted line through the judges that none beats in price and agreement at once."""
    if by != "cost_per_1000":
        return
    front = sorted((places[r.judge], r.exact.value) for r in rows if r.on_front)
    if len(front) > 1:
        x, y = zip(*front, strict=True)
        line = {"color": "#56B4E9", "width": 2, "dash": "dot"}
        chart.add_scatter(x=x, y=y, mode="lines", line=line, hoverinfo="skip", showlegend=False)


def _lines(
    chart: go.Figure, levels: list[Level], minimum: float | None, figure: DecidingFigure
) -> None:
    """The levels that judges are compared with, and the limit that was fixed."""
    upper = max((one.value for one in levels), default=None)
    for one in levels:
        # One label above its line and the other below: the two may be almost equal.
        place = "top" if one.value == upper else "bottom"
        _across(chart, one.value, one.words, one.line, (place, "left"))
    if minimum:
        limit = _number(minimum, figure)
        words = said("minimum {limit}") if figure.higher_is_better else said("maximum {limit}")
        line = _GREY | {"width": 1, "dash": "dot"}
        _across(chart, minimum, say(words, limit=limit), line, ("bottom", "right"))


def _number(value: float, figure: DecidingFigure) -> str:
    return written(value, "share" if figure.kind == "share" else "number")


def _across(chart: go.Figure, y: float, words: str, line: dict, place: tuple[str, str]) -> None:
    chart.add_hline(
        y=y,
        line=line,
        layer="below",
        annotation={"text": words, "font": {"size": 12}},
        annotation_position=" ".join(place),
    )


def _axis(
    chart: go.Figure, rows: list[JudgeFound], places: dict[str, float], by: str, simulated: bool
) -> None:
    """Ticks in round prices, and words under the columns that have none."""
    known = [places[row.judge] for row in rows if getattr(row, by)]
    marks = {value: _round(value, by) for value in _ticks(known)}
    marks |= {places[r.judge]: say("free") for r in rows if getattr(r, by) == 0}
    marks |= {places[r.judge]: say("unknown") for r in rows if getattr(r, by) is None}
    low, high = min(places.values(), default=0.0), max(places.values(), default=0.0)
    room = max(0.5, high - low)
    chart.update_xaxes(
        title=say("{axis}, simulated", axis=AXES[by]) if simulated else say(AXES[by]),
        tickvals=list(marks),
        ticktext=list(marks.values()),
        range=[low - 0.35 * room, high + 0.35 * room],
        fixedrange=True,
    )


def _ticks(known: list[float]) -> list[float]:
    """The decades around the values, with 3 in between where there are few."""
    if not known:
        return []
    decades = range(floor(min(known)), ceil(max(known)) + 1)
    steps = (1, 3) if len(decades) < 5 else (1,)
    ticks = [decade + log10(step) for decade in decades for step in steps]
    return [tick for tick in ticks if min(known) - 0.3 <= tick <= max(known) + 0.3]


def _round(decades: float, by: str) -> str:
    value = 10**decades
    return word(Numeral(f"${value:,.3g}" if by == "cost_per_1000" else f"{value:,.2g} s"))
