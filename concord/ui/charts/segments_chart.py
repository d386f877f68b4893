"""Segment charts: the resampled means of each segment, one chart per metric."""

from collections.abc import Sequence
from html import escape

import plotly.graph_objects as go

from concord.messages import joined, said
from concord.reports.cells import written
from concord.reports.segments.segment_analysis import (
    NO,
    NOT_MEASURED,
    YES,
    MetricSegments,
    SegmentMean,
    settled,
)
from concord.ui import style
from concord.ui.charts.frame import framed
from concord.ui.charts.marks import mark
from concord.ui.language import say

# Sets are neither annotators nor judges: colours of Okabe and Ito that no grader has, with dashes.
LOOKS = (("#CC79A7", "solid"), ("#6B7078", "dash"), ("#D55E00", "dot"), ("#8A7A00", "dashdot"))
_INNER, _ROW, _FOOT = 150, 44, 54


def chart(row: MetricSegments) -> go.Figure:
    """The spread of each set's resampled means, and below it the mean with its interval."""
    title, sets = say(_title(row)), row.sets
    figure = go.Figure()
    tallest = max((max(one.spread.shares) for one in sets if one.spread), default=1.0)
    for place, one in enumerate(sets):
        colour, dash = LOOKS[place % len(LOOKS)]
        if one.spread:
            figure.add_trace(_spread(one, colour, dash, tallest))
        _mean(figure, one, -0.18 - 0.26 * place, colour)
    framed(figure, title, _INNER + _ROW * len(sets), 20, _FOOT)
    figure.update_yaxes(
        visible=False, range=[-0.18 - 0.26 * (len(sets) - 0.35), 1.06], fixedrange=True
    )
    return figure.update_xaxes(title=say("mean of each resample"), range=_reach(sets))


def convergence(rows: Sequence[MetricSegments]) -> go.Figure:
    """The standard error of every mean from its first B resamples, against the last one."""
    title, figure = say(settled(rows)), go.Figure()
    at = say("{error} at B = {resamples}", error="%{y:.2f}", resamples="%{x:,}")
    for row in rows:
        for place, one in enumerate(row.sets):
            colour, dash = LOOKS[place % len(LOOKS)]
            steps = [step for step in one.convergence if one.error]
            name = say(joined(", ", [row.title, one.set]))
            figure.add_trace(
                go.Scatter(
                    x=[step.resamples for step in steps],
                    y=[step.error / one.error for step in steps],
                    mode="lines+markers",
                    line={"color": colour, "width": 1.4, "dash": dash},
                    name=escape(name),
                    hovertemplate=f"{escape(name)}: {at}<extra></extra>",
                )
            )
    framed(figure, title, 240 - _FOOT, 24, _FOOT)
    figure.update_xaxes(type="log", dtick=1, title=say("resamples (B)"))
    return figure.update_yaxes(title=say("standard error, relative to the last"), tickformat=".2f")


def _title(row: MetricSegments) -> str:
    known = [one for one in row.sets if one.mean is not None]
    if not known:
        return said("{metric}: no value yet", metric=row.title)
    means = joined(", ", [said("{set} {mean:.2f}", set=one.set, mean=one.mean) for one in known])
    told = {"metric": row.title, "means": means}
    verdicts = {one.verdict for one in row.contrasts} - {NOT_MEASURED}
    if not verdicts:
        return said("{metric}: {means}", **told)
    if verdicts == {YES}:
        return said("{metric}: {means}; the topic scores better", **told)
    if verdicts == {NO}:
        return said("{metric}: {means}; the topic scores worse", **told)
    return said("{metric}: {means}; not all differences are conclusive", **told)


def _spread(one: SegmentMean, colour: str, dash: str, tallest: float) -> go.Scatter:
    spread = one.spread
    width = (spread.high - spread.low) / len(spread.shares)
    middles = [spread.low + width * (place + 0.5) for place in range(len(spread.shares))]
    return go.Scatter(
        x=middles,
        y=[share / tallest for share in spread.shares],
        line={"color": colour, "width": 2, "dash": dash, "shape": "hvh"},
        fill="tozeroy",
        opacity=0.75,
        name=one.set,
        hoverinfo="skip",
    )


def _mean(figure: go.Figure, one: SegmentMean, y: float, colour: str) -> None:
    """The mean and its interval on a line of its own, named."""
    found = one.best
    words = say(
        "{set}: {mean}, n = {n:,}", set=escape(one.set), mean=written(found, "number"), n=one.n
    )
    if found.value is None:
        words = say("{set}: {why}", set=escape(one.set), why=escape(say(said(found.why_none))))
    else:
        marker = {"color": colour, "size": 11, "symbol": "diamond"}
        figure.add_trace(mark(found, y, marker, one.set, words))
    above = {"xref": "paper", "xanchor": "left", "yanchor": "bottom", "yshift": 5}
    figure.add_annotation(style.words(0, y, words, **above))


def _reach(sets: Sequence[SegmentMean]) -> list[float]:
    """Return the range from the least to the greatest end, with padding."""
    ends = [end for one in sets for end in one.best[:3] if end is not None]
    ends += [getattr(one.spread, key) for one in sets if one.spread for key in ("low", "high")]
    low, high = min(ends, default=0.0), max(ends, default=1.0)
    room = 0.05 * (high - low) or 0.05
    return [low - room, high + room]
