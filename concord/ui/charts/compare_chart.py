"""The charts of the comparison screen: distance from annotators, and which scores are used."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from concord.messages import joined, said
from concord.reports.cells import percent, written
from concord.reports.comparison.compare_document import scores_used, variant_name
from concord.reports.comparison.paired_variants import scale_name
from concord.reports.comparison.results import Comparison
from concord.stats.comparison.score_spread import Spread
from concord.stats.core.estimate import Estimate
from concord.ui import style
from concord.ui.charts.charts import framed
from concord.ui.charts.facet import Facet, FigureAxis, dot, note, rows_of_names
from concord.ui.language import say, word
from concord.ui.style import Look

_ROW, _HEAD, _FOOT = 48, 44, 58
_STRIP = 62
_SAID_OF = 5  # of scales with more scores than this only the commonest has its share below it
_ABOVE, _BELOW = 0.13, 0.5  # what of a row has no name in it, up and down from its middle
_AXIS = FigureAxis(
    said("distance from annotators (0%: the same score)"),
    said("away by"),
    lambda found: written(found, "share"),
    lambda value: f"{percent(value)}%",
    ("mae", "score"),
    lambda value: -value,
)


def looks(rows: Sequence[Any]) -> dict[str, Look]:
    """The look of every variant, the same on every chart; the floor is grey."""
    return style.looks((row.variant, row.floor) for row in rows)


def distance(found: Comparison, title: str) -> go.Figure:
    """Plot every variant's distance from annotators with its CI; the annotators' own is dashed."""
    always = _baseline_row(found)
    rows = [*_nearest_first(found.variants), *always]
    known = looks(found.variants) | {row.variant: style.CONSTANT for row in always}
    chart = make_subplots(rows=1, cols=1)
    reach = (-0.004, 1.08 * _widest(rows, found.ceiling.mae))
    facet = Facet(chart, 1, _AXIS, reach, [])
    for place, row in enumerate(reversed(rows)):
        dot(facet, place, row.variant, row.mae, found.n, known[row.variant])
    _annotators_line(facet, found.ceiling.mae, len(rows))
    rows_of_names(chart, [_called(row) for row in rows], notes=facet.notes)
    chart.update_xaxes(range=reach, tickformat=".0%", title=say(_AXIS.title))
    return framed(chart, title, _ROW * len(rows) + 16, _HEAD, _FOOT)


def distance_title(found: Comparison) -> str:
    """Return a short title: the nearest variant."""
    best = found.nearest
    if best is None:
        return say("No variant has a figure yet")
    annotators = found.ceiling.mae.value
    about = {"name": variant_name(best), "share": percent(best.mae.value)}
    about["baseline"] = percent(found.majority_baseline.mae.value)
    if annotators is None:
        return say("{name}: {share}% of the scale away, baseline {baseline}%", **about)
    return say(
        "{name}: {share}% of the scale away, majority-class baseline {baseline}%, between "
        "annotators {annotators}%",
        **about,
        annotators=percent(annotators),
    )


def distance_alt(found: Comparison) -> str:
    """The same in words."""
    rows = [*found.variants, *_baseline_row(found)]
    parts = [f"{row.variant} {written(row.mae, 'share')}" for row in rows]
    return said(
        "Distance from annotators in percent of the scale: {variants}; between annotators "
        "{annotators}.",
        variants=joined("; ", parts),
        annotators=written(found.ceiling.mae, "share"),
    )


def scores(found: Comparison, title: str) -> go.Figure:
    """Plot the used scores of each scale: a circle per score, larger the more often it is used.

    The share is printed below its circle. Scales share one axis from their lowest to their highest
    score.
    """
    rows = [_annotators_row(found), *_nearest_first(found.variants)]
    known = looks(found.variants)
    chart = make_subplots(rows=1, cols=1)
    for place, row in enumerate(reversed(rows)):
        look = known.get(row.variant, style.ANNOTATORS)
        _circles(chart, place, row, look)
    rows_of_names(chart, [_called(row) for row in rows])
    chart.update_xaxes(
        range=[-0.08, 1.08],
        tickvals=[0, 0.5, 1],
        ticktext=[say("lowest score"), "", say("highest")],
    )
    return framed(chart, title, _STRIP * len(rows) + 20, 24, _FOOT)


def scores_title(found: Comparison) -> str:
    """Return a title: the variant with the least varied scores."""
    rows = [row for row in found.variants if row.spread.share is not None]
    if not rows:
        return say("No scores yet")
    worst = max(rows, key=lambda row: row.spread.share)
    annotators, spread = found.annotator_spread.share, worst.spread
    about = {"variant": worst.variant, "score": spread.commonest}
    about["share"] = percent(spread.share)
    if annotators is None:
        return say("{variant} gives {score} in {share}% of its scores", **about)
    return say(
        "{variant} gives {score} in {share}% of its scores; the annotators' most frequent score "
        "makes up {annotators}%",
        **about,
        annotators=percent(annotators),
    )


def scores_alt(found: Comparison) -> str:
    """The same in words."""
    rows = [_annotators_row(found), *found.variants]
    parts = [
        said("{variant} uses {scores}", variant=row.variant, scores=scores_used(row.spread) or "—")
        for row in rows
    ]
    return said("{sentence}.", sentence=joined("; ", parts))


def _called(row: Any) -> str:
    return f"{word(row.variant)} · {scale_name(row.scale)}"


class _Row(NamedTuple):
    """A row of a chart that is no variant: the annotators, or the majority-class baseline."""

    variant: str
    scale: Sequence[int]
    spread: Spread | None = None
    mae: Estimate | None = None
    floor: bool = False


def _annotators_row(found: Comparison) -> _Row:
    return _Row(said("annotators"), found.annotator_scale, found.annotator_spread)


def _baseline_row(found: Comparison) -> list[_Row]:
    """The majority-class baseline as a row of the chart, where there is one."""
    always = found.majority_baseline
    if always.score is None:
        return []
    called = said("majority-class baseline, always {score:g}", score=always.score)
    return [_Row(called, found.annotator_scale, mae=always.mae)]


def _nearest_first(rows: Sequence[Any]) -> list[Any]:
    return sorted(rows, key=lambda row: (row.floor, row.mae.value or 0))


def _widest(rows: Sequence[Any], annotators: Estimate) -> float:
    ends = [end for one in [*(r.mae for r in rows), annotators] for end in (one.value, one.high)]
    return max([0.1, *(end for end in ends if end is not None)])


def _annotators_line(facet: Facet, annotators: Estimate, rows: int) -> None:
    """Draw the annotators' own distance row by row, interrupted where it would cross a name."""
    if annotators.value is None:
        unknown = say("distance between annotators is unknown")
        note(facet, None, unknown, "left", 6, 12)
        return
    colour, at = style.ANNOTATORS.colour, annotators.value
    for row in range(rows):
        height = {"y0": row - _BELOW, "y1": row + _ABOVE, "layer": "below"}
        if annotators.low is not None:
            band = {"x0": annotators.low, "x1": annotators.high, "line_width": 0} | height
            facet.chart.add_shape(type="rect", fillcolor=colour, opacity=0.13, **band)
        line = {"color": colour, "width": 2, "dash": "5px,3px"}
        facet.chart.add_shape(type="line", x0=at, x1=at, line=line, **height)
    side = "left" if annotators.value < facet.at(0.5) else "right"
    known = say("annotators: {share}%", share=percent(annotators.value))
    note(facet, annotators.value, known, side, 6, 12)


def _circles(chart: go.Figure, place: int, row: Any, look: Look) -> None:
    counts, scale = row.spread.counts, row.scale
    total = sum(counts) or 1
    reach = scale[-1] - scale[0]
    shares = [count / total for count in counts]
    chart.add_trace(
        go.Scatter(
            x=[(score - scale[0]) / reach for score in scale],
            y=[place - 0.12] * len(scale),
            mode="markers",
            marker={
                "size": [_width(part) for part in shares],
                "color": look.colour,
                "opacity": [0.85 if part else 0.35 for part in shares],
                "symbol": ["circle" if part else "line-ns-open" for part in shares],
                "line": {"color": look.outline, "width": 1},
            },
            hovertext=[
                f"{score}: {percent(part)}%" for score, part in zip(scale, shares, strict=True)
            ],
            hoverinfo="text",
            name=word(row.variant),
        )
    )
    for score, part in zip(scale, shares, strict=True):
        if part and (len(scale) <= _SAID_OF or part == max(shares)):
            at = (score - scale[0]) / reach, place - 0.12
            below = {"yanchor": "top", "yshift": -_width(part) / 2}
            chart.add_annotation(style.words(*at, f"{percent(part)}%", **below))


def _width(part: float) -> float:
    """The pixels of a circle, so that its area grows with the share."""
    return 4 + 26 * part**0.5 if part else 3
