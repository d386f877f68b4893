"""The order of the answering models by annotators and by a judge, as a slope chart.

Lines that cross are swaps: they are thick and red, dashed where the swap may be chance. Labels
are in the margins, pushed apart where means are close, and a thin line leads to each one's mean.
"""

from collections.abc import Sequence
from html import escape

import plotly.graph_objects as go

from concord.messages import Said, is_message, joined, said
from concord.reports.cells import written
from concord.reports.ranking.document import judge_name
from concord.reports.ranking.order import ANNOTATORS, ModelMeans, Order
from concord.stats.core.estimate import Estimate
from concord.text.display import width
from concord.ui import style
from concord.ui.charts.marks import error_bars
from concord.ui.language import say, word
from concord.ui.style import Look

SWAP = "#D55E00"
_QUIET = "#9AA0A6"
_MARGIN, _LABEL = 128, 38
_NAME, _HEAD = 15, 28
_TOP, _BOTTOM, _LEAST = 40, 12, 300
_STEP = 0.07
_EDGES = (-0.12, 1.12)


def order_chart(order: Order, look: Look) -> go.Figure:
    """Draw annotators on the left, the judge on the right, a line for each answering model.

    `order` has two shared models or more.
    """
    models = order.shared
    height = max(_LEAST, _TOP + _BOTTOM + _LABEL * (len(models) + 1))
    bottom, top = _range(models)
    gap = (top - bottom) * _LABEL / (height - _TOP - _BOTTOM)
    chart = go.Figure()
    swapped, ends = _swapped(order), []
    columns = {side: _columns(models, side) for side in (ANNOTATORS, "judge")}
    for place, model in enumerate(models):
        at = columns[ANNOTATORS][place] * _STEP, 1 - columns["judge"][place] * _STEP
        _slope(chart, model, at, swapped.get(model.answer_model))
        ends.append((model, at))
    for side, x in ((ANNOTATORS, 0), ("judge", 1)):
        heights = spread(_values(models, side), gap, bottom, top)
        for (model, at), y in zip(ends, heights, strict=True):
            _leader(chart, (_EDGES[x], at[x]), (y, model.of(side).value))
            _label(chart, model, side, x, y)
    for model, at in ends:  # on top of all lines
        _points(chart, model, at, (style.ANNOTATORS, look))
    _heads(chart, order)
    chart.update_xaxes(range=_EDGES, visible=False, fixedrange=True)
    chart.update_yaxes(range=[bottom, top], visible=False, fixedrange=True)
    style.styled(chart, height).update_layout(showlegend=False, hovermode="closest")
    return chart.update_layout(margin={"l": _MARGIN, "r": _MARGIN, "t": _TOP, "b": _BOTTOM})


def order_alt(order: Order) -> Said:
    """Return the chart in words."""
    means = [
        said(
            "{model} {annotators} by annotators, {found} by {judge}",
            model=model.answer_model,
            annotators=written(model.annotators, "number"),
            found=written(model.judge, "number"),
            judge=judge_name(order),
        )
        for model in order.shared
    ]
    return said("Mean composite of each answering model: {means}.", means=joined("; ", means))


def spread(values: list[float], gap: float, bottom: float, top: float) -> list[float]:
    """Return heights for labels, as near to their values as a gap between neighbours allows.

    Labels that would touch are grouped around the mean of their values, and all of them between
    bottom and top, half a gap within, as long as there is room.
    """
    rising = sorted(range(len(values)), key=lambda place: values[place])
    blocks = []  # of labels grouped together, from below
    for place in rising:
        blocks.append([place])
        while len(blocks) > 1 and _touch(
            *(_middle(b, values, gap, bottom, top) for b in blocks[-2:])
        ):
            upper = blocks.pop()
            blocks[-1] += upper
    heights = {}
    for block in blocks:
        middle = _middle(block, values, gap, bottom, top)[0]
        for step, place in enumerate(block):
            heights[place] = middle + (step - (len(block) - 1) / 2) * gap
    return [heights[place] for place in range(len(values))]


def short(name: str, most: int = _NAME) -> str:
    """Return a name that fits the margin: a long one loses its middle, wide letters count two."""
    if width(name) <= most:
        return name
    head, tail = name, ""
    while width(head) > (most - 1) // 2:
        head = head[:-1]
    while width(tail) < (most - 1) // 2 - 1:
        tail = name[-len(tail) - 1 :]
    return f"{head}…{tail}"


def _middle(
    block: list[int], values: list[float], gap: float, bottom: float, top: float
) -> tuple[float, float]:
    """The middle and the half height of a group of labels."""
    half = len(block) * gap / 2
    wanted = sum(values[place] for place in block) / len(block)
    return max(min(wanted, top - half), bottom + half), half


def _touch(lower: tuple[float, float], upper: tuple[float, float]) -> bool:
    return upper[0] - upper[1] < lower[0] + lower[1] - 1e-9


def _values(models: Sequence[ModelMeans], side: str) -> list[float]:
    return [model.of(side).value for model in models]


def _range(models: Sequence[ModelMeans]) -> tuple[float, float]:
    """Return the range from the lowest limit to the highest, with padding."""
    ends = [
        end for model in models for side in (ANNOTATORS, "judge") for end in _ends(model.of(side))
    ]
    air = 0.06 * (max(ends) - min(ends)) or 0.5
    return min(ends) - air, max(ends) + air


def _ends(mean: Estimate) -> tuple[float, float]:
    """The limits of a mean, or the mean where it has none."""
    if mean.low is None:
        return mean.value, mean.value
    return mean.low, mean.high


def _columns(models: Sequence[ModelMeans], side: str) -> list[int]:
    """Return how far each interval is shifted so that none covers another; 0 for most."""
    columns, taken = [], []
    for low, high in (_ends(model.of(side)) for model in models):
        free = (c for c in range(len(models)) if not _meets(taken, c, low, high))
        columns.append(next(free))
        taken.append((columns[-1], low, high))
    return columns


def _meets(taken: list[tuple[int, float, float]], column: int, low: float, high: float) -> bool:
    return any(c == column and low <= top and high >= bottom for c, bottom, top in taken)


def _swapped(order: Order) -> dict[str, bool]:
    """The models of a swap, and whether one of their swaps is sure."""
    found = {}
    for swap in order.swaps:
        for model in (swap.higher, swap.lower):
            found[model] = found.get(model, False) or swap.certain
    return found


def _slope(
    chart: go.Figure, model: ModelMeans, at: tuple[float, float], certain: bool | None
) -> None:
    """Draw the line of a model; `certain` is None where it is in no swap."""
    line = {"color": _QUIET, "width": 1.6}
    if certain is not None:
        line = {"color": SWAP, "width": 3, "dash": "solid" if certain else "dash"}
    means = [model.annotators.value, model.judge.value]
    chart.add_trace(
        go.Scatter(x=at, y=means, mode="lines", line=line, hoverinfo="skip", showlegend=False)
    )


def _points(
    chart: go.Figure, model: ModelMeans, at: tuple[float, float], looks: tuple[Look, Look]
) -> None:
    """Both means of a model with their intervals."""
    for x, side, look in zip(at, (ANNOTATORS, "judge"), looks, strict=True):
        mean = model.of(side)
        value = word(written(mean, "number"))
        chart.add_trace(
            go.Scatter(
                x=[x],
                y=[mean.value],
                error_y=error_bars(mean, look.outline) | {"thickness": 1.8, "width": 4},
                marker=look.marker(11),
                mode="markers",
                name=model.answer_model,
                hovertemplate=f"{model.answer_model}: {value}<extra></extra>",
            )
        )


def _leader(chart: go.Figure, x: tuple[float, float], y: tuple[float, float]) -> None:
    """A thin line from a label to its mean."""
    line = {"color": _QUIET, "width": 0.8}
    chart.add_trace(go.Scatter(x=x, y=y, mode="lines", line=line, hoverinfo="skip", name="leader"))


def _label(chart: go.Figure, model: ModelMeans, side: str, x: int, y: float) -> None:
    """The name and the figure of a model in the margin."""
    mean = word(written(model.of(side), "number"))
    text = f"<b>{escape(short(model.answer_model))}</b><br>{mean}"
    outside = {"xanchor": "left", "align": "left"} if x else {"xanchor": "right", "align": "right"}
    outside |= {"xref": "paper", "xshift": 4 if x else -4}
    chart.add_annotation(style.words(x, y, text, hovertext=model.answer_model, **outside))


def _heads(chart: go.Figure, order: Order) -> None:
    """Label the two sides, above the points."""
    judge = judge_name(order)
    judge = say(judge) if is_message(judge) else judge  # a bare name is data
    for x, name in ((0, say("annotators")), (1, judge)):
        above = {"xref": "paper", "yref": "paper", "yanchor": "bottom", "yshift": 10}
        above |= {"xanchor": "right" if x else "left", "font": {"size": 13}}
        text, shift = say("by {name}", name=escape(short(name, _HEAD))), _MARGIN - 8
        chart.add_annotation(style.words(x, 1, text, xshift=shift if x else -shift, **above))
