"""The charts, as plotly figures made from what the reports give; no Streamlit here."""

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from ui import style
from ui.style import Look

BASELINE = "baseline"
_ROW, _FACET = 42, 70


def agreement(rows: list[dict], figure: str = "exact") -> go.Figure:
    """Every judge's share with its interval, one facet per criterion under another.

    The people's own agreement is a dashed line with its interval as a light band, the constant
    grade a thin grey line; both on the same axis.

    Args:
        rows: Rows of the agreement report for one sheet, rubric and reference.
        figure: A share: `exact`, `within_one` or `caught`.
    """
    rows = [row for row in rows if row["criterion"] != "composite"]
    criteria = list(dict.fromkeys(row["criterion"] for row in rows))
    looks = _looks(rows)
    chart = make_subplots(
        rows=len(criteria),
        cols=1,
        shared_xaxes=True,
        vertical_spacing=min(0.2, 0.5 / max(1, len(criteria))),
        subplot_titles=[f"<b>{_spoken(criterion)}</b>" for criterion in criteria],
    )
    chart.update_annotations(x=0, xanchor="left", yshift=18, font_size=14)
    for place, criterion in enumerate(criteria, 1):
        mine = [row for row in rows if row["criterion"] == criterion]
        for row in reversed(mine):
            _judge(chart, place, row, figure, looks[row["label"]])
        _floor_and_ceiling(chart, place, mine, figure)
    chart.update_xaxes(range=[-0.02, 1.04], tickformat=".0%", dtick=0.2)
    chart.update_xaxes(title=_AXES[figure], row=len(criteria), col=1)
    chart.update_yaxes(range=[-0.5, len(looks) - 0.3])
    height = len(criteria) * (_FACET + _ROW * len(looks)) + 40
    return style.styled(chart, height).update_layout(showlegend=False, margin_t=52)


def agreement_alt(rows: list[dict], figure: str = "exact") -> str:
    """The agreement chart in words."""
    said = [
        f"{row['label']} on {_spoken(row['criterion'])} {_share(row[figure])}"
        for row in rows
        if row["criterion"] != "composite"
    ]
    return f"{_AXES[figure]}: {'; '.join(said)}."


def confusion(table: dict, dark: bool = False) -> go.Figure:
    """Person's score against judge's score, counts of answers; each cell can be clicked.

    Args:
        table: `scale` and `counts`, a K x K list, rows = person, columns = judge.
        dark: Whether the ground is dark.
    """
    scale, counts = [str(score) for score in table["scale"]], table["counts"]
    chart = go.Figure(
        go.Heatmap(
            z=counts,
            x=scale,
            y=scale,
            colorscale=style.heat(dark),
            showscale=False,
            text=[[f"{count:g}" if count else "" for count in line] for line in counts],
            texttemplate="%{text}",
            hovertemplate="person %{y}, judge %{x}: %{z:.3g} answers<extra></extra>",
            xgap=2,
            ygap=2,
        )
    )
    # A heat map alone reports no click; nearly invisible markers over it do.
    spots = [(x, y) for y in scale for x in scale]
    chart.add_trace(
        go.Scatter(
            x=[x for x, _ in spots],
            y=[y for _, y in spots],
            mode="markers",
            marker={"size": 44, "symbol": "square", "color": "rgba(0,0,0,0.01)"},
            hoverinfo="skip",
            showlegend=False,
        )
    )
    chart.update_xaxes(title="judge's score", type="category", side="bottom")
    chart.update_yaxes(title="person's score", type="category", autorange="reversed")
    return style.styled(chart, 120 + 52 * len(scale))


def order(ranking: dict, judge: str) -> go.Figure:
    """The answering models as people order them on the left and as a judge does on the right.

    Lines that cross are models the two put in opposite orders.
    """
    sides = [_side(ranking, None), _side(ranking, judge)]
    models = sorted(set(sides[0]) | set(sides[1]), key=lambda m: -(sides[0].get(m, [0])[0]))
    swapped = _swapped(ranking, judge)
    chart = go.Figure()
    for model in models:
        points = [(x, side[model]) for x, side in enumerate(sides) if model in side]
        crossing = model in swapped
        chart.add_trace(
            go.Scatter(
                x=[x for x, _ in points],
                y=[values[0] for _, values in points],
                error_y=_bars([values for _, values in points]),
                mode="lines+markers+text",
                text=[f" {model} " if x == 1 else f"{model} " for x, _ in points],
                textposition=["middle right" if x == 1 else "middle left" for x, _ in points],
                line={"width": 3 if crossing else 1.6, "dash": "solid" if crossing else "dot"},
                marker={"size": 10},
                name=model,
            )
        )
    chart.update_xaxes(
        tickvals=[0, 1], ticktext=["people", judge], range=[-0.45, 1.45], showgrid=False
    )
    chart.update_yaxes(title="mean composite, points of the scale")
    return style.styled(chart, 420).update_layout(showlegend=False)


_AXES = {
    "exact": "share of answers with the person's exact score",
    "within_one": "share of answers at most one point apart",
    "caught": "share of the answers people failed that the judge failed too",
}


def _looks(rows: list[dict]) -> dict[str, Look]:
    names = list(dict.fromkeys(row["label"] for row in rows))
    judges = [row["label"] for row in rows if row["judge"] != BASELINE]
    looks = style.judge_looks(list(dict.fromkeys(judges)))
    return {name: looks.get(name, style.BASELINE) for name in names}


def _floor_and_ceiling(chart: go.Figure, place: int, rows: list[dict], figure: str) -> None:
    """The lines every judge is read against: the best known ceiling and the constant grade."""
    widest = max(rows, key=lambda row: row["ceiling"]["n"])
    ceiling, constant = widest["ceiling"][figure], widest["constant_baseline"].get(figure)
    if ceiling["value"] is not None:
        if ceiling["low"] is not None:
            chart.add_vrect(
                x0=ceiling["low"],
                x1=ceiling["high"],
                fillcolor=style.PEOPLE.colour,
                opacity=0.12,
                line_width=0,
                row=place,
                col=1,
            )
        line = style.CEILING | {"color": style.PEOPLE.colour}
        said = f"people {ceiling['value']:.0%}"
        _line(chart, place, ceiling["value"], line, said, "left")
    if constant is not None:
        line = {"color": style.CONSTANT.colour, "width": 2}
        said = f"always {widest['constant_baseline']['score']}: {constant:.0%}"
        _line(chart, place, constant, line, said, "right")


def _line(chart: go.Figure, place: int, value: float, line: dict, said: str, anchor: str) -> None:
    """A vertical line through one facet, named above it."""
    chart.add_vline(x=value, line=line, row=place, col=1)
    chart.add_annotation(
        x=value,
        y=1,
        yref=f"y{'' if place == 1 else place} domain",
        text=said,
        xanchor=anchor,
        yanchor="bottom",
        showarrow=False,
        font={"size": 11},
        row=place,
        col=1,
    )


def _judge(chart: go.Figure, place: int, row: dict, figure: str, look: Look) -> None:
    found = row[figure]
    if found["value"] is None:
        return
    chart.add_trace(
        go.Scatter(
            x=[found["value"]],
            y=[row["label"]],
            error_x=_bars([(found["value"], found["low"], found["high"])])
            | {"color": look.outline, "thickness": 1.8, "width": 5},
            marker=look.marker(12),
            mode="markers+text",
            text=[_share(found)],
            textposition="top center",
            textfont={"size": 11},
            name=row["label"],
            hovertemplate=f"{row['label']}: {_share(found)}, n = {row['n']}<extra></extra>",
        ),
        row=place,
        col=1,
    )


def _bars(values: list[tuple]) -> dict:
    """Error bars from (value, low, high); none where there is no interval."""
    return {
        "type": "data",
        "symmetric": False,
        "array": [0 if high is None else high - value for value, _, high in values],
        "arrayminus": [0 if low is None else value - low for value, low, _ in values],
    }


def _side(ranking: dict, judge: str | None) -> dict[str, tuple]:
    """Mean and interval by answering model, as people (None) or a judge see them."""
    return {
        row["answer_model"]: (row["value"], row["low"], row["high"])
        for row in ranking["models"]
        if row["value"] is not None
        and (row["kind"] == "person" if judge is None else row["grader"] == judge)
    }


def _swapped(ranking: dict, judge: str) -> set[str]:
    """The answering models that stand in a pair which the judge puts the other way round."""
    return {
        model
        for order in ranking["orders"]
        if order["judge"] == judge
        for pair in order["swaps"]
        for model in pair
    }


def _share(estimate: dict) -> str:
    """A share in per cent with its interval."""
    if estimate["value"] is None:
        return "unknown"
    if estimate["low"] is None:
        return f"{estimate['value']:.0%}"
    return f"{estimate['value']:.0%} [{100 * estimate['low']:.0f}, {100 * estimate['high']:.0f}]"


def _spoken(criterion: str) -> str:
    return criterion.replace("_", " ")
