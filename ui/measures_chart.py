"""Means of a measure by answering model, and correlations with people: dots with intervals.

No Streamlit here.
"""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import plotly.graph_objects as go

from reports.text import number
from ui import style
from ui.charts import title_height, titled
from ui.facet import rows_of_names

_ROW, _FOOT = 46, 62
_AIR = 0.04


def by_model(row: Mapping[str, Any], title: str) -> go.Figure:
    """The mean of each answering model with its interval; the mean of all is a grey line."""
    models = {name: as_estimate(one) for name, one in row["by_model"].items() if one["n"]}
    looks = style.judge_looks(list(models))
    chart = dots(models, title, looks, "mean")
    chart.add_vline(x=row["mean"], line=style.CEILING)
    return chart


def correlations(rows: Sequence[Mapping[str, Any]], title: str, axis: str) -> go.Figure:
    """How well each measure predicts people, best first; 0 is a grey line."""
    known = {row["name"]: dict(row) for row in rows if row["value"] is not None}
    chart = dots(known, title, dict.fromkeys(known, style.judge_looks(["one"])["one"]), axis)
    chart.add_vline(x=0, line=style.CEILING)
    return chart


def dots(
    found: Mapping[str, Mapping[str, Any]],
    title: str,
    looks: Mapping[str, style.Look],
    axis: str,
) -> go.Figure:
    """A row with dot and interval for each named estimate; `axis` says what is drawn."""
    chart = go.Figure()
    names = list(found)
    for place, (name, one) in enumerate(found.items()):
        value = one["value"]
        low, high = (value if one[end] is None else one[end] for end in ("low", "high"))
        chart.add_trace(
            go.Scatter(
                x=[value],
                y=[len(names) - 1 - place],
                error_x={
                    "type": "data",
                    "symmetric": False,
                    "array": [high - value],
                    "arrayminus": [value - low],
                    "color": looks[name].colour,
                    "thickness": 2,
                    "width": 5,
                },
                marker=looks[name].marker(12),
                mode="markers",
                name=name,
                hovertemplate=f"{escape(name)}: {number(one)}, {one['n']:,} answers<extra></extra>",
            )
        )
    rows_of_names(chart, [f"{name}: {number(one)}" for name, one in found.items()])
    chart.update_xaxes(range=_range(found.values()), fixedrange=True, title=axis)
    top = title_height(title)
    titled(style.styled(chart, top + _ROW * max(1, len(names)) + _FOOT), title)
    return chart.update_layout(showlegend=False, margin={"t": top, "b": _FOOT, "l": 18, "r": 18})


def alt(found: Mapping[str, Mapping[str, Any]]) -> str:
    """A chart of dots in words."""
    return "; ".join(f"{name} {number(one)}" for name, one in found.items()) + "."


def model_title(row: Mapping[str, Any], title: str, better: str) -> str:
    """Which answering model stands best by a measure, and which last."""
    means = {name: one["mean"] for name, one in row["by_model"].items() if one["n"]}
    if len(means) < 2:
        return f"{title}: {row['mean']:.2f}"
    order = sorted(means, key=means.get, reverse=better == "higher")
    first, last = order[0], order[-1]
    best, worst = f"{means[first]:.2f}", f"{means[last]:.2f}"
    if best == worst:
        return f"{title}: {worst}, by every answering model alike"
    ends = [row["by_model"][name] for name in (first, last)]
    chance = "" if _apart(*ends) else ", maybe by chance"
    return f"{title}: {first} stands best with {best}, {last} last with {worst}{chance}"


def as_estimate(one: Mapping[str, Any]) -> dict[str, Any]:
    """A figure of the measures report under the names of an estimate."""
    return {"value": one["mean"], "low": one["low"], "high": one["high"], "n": one["n"]}


def _apart(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two means have intervals that do not overlap."""
    if None in (one["low"], other["low"]):
        return False
    return one["low"] > other["high"] or other["low"] > one["high"]


def _range(found) -> list[float]:
    ends = [end for one in found for end in (one["value"], one["low"], one["high"])]
    known = [0.0, *(end for end in ends if end is not None)]
    air = _AIR * (max(known) - min(known) or 1)
    return [min(known) - air, max(known) + air]
