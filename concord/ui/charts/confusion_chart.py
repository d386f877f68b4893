"""The confusion matrix as a heat map whose cells can be clicked; no Streamlit."""

import plotly.graph_objects as go

from concord.messages import capital
from concord.reports.agreement.confusion import Confusion
from concord.reports.cells import percent
from concord.reports.panel.unit_words import how_many, plural, score
from concord.ui import style
from concord.ui.charts.charts import title_height, titled
from concord.ui.language import say

_LEGEND = 66  # the pixels of the bar of shades and its words


def confusion_chart(table: Confusion, title: str = "", dark: bool = False) -> go.Figure:
    """Annotator's score against judge's; a cell is coloured by its share of the annotator's row.

    The number in a cell is how many answers it holds; a bar below says what the shades are. Each
    cell can be clicked: its marker carries [annotator, judge] as custom data.
    """
    scale = [str(score) for score in table.scale]
    size = len(scale)
    side = max(30, min(64, 420 // size))
    chart = go.Figure(
        go.Heatmap(
            z=_row_shares(table.weights),
            zmin=0,
            zmax=1,
            x=scale,
            y=scale,
            colorscale=style.heat(dark),
            colorbar=_legend(),
            text=[[f"{count:,}" if count else "" for count in line] for line in table.items],
            texttemplate="%{text}",
            hoverinfo="skip",
            xgap=2,
            ygap=2,
        )
    )
    chart.add_trace(_spots(table, side))
    for place in range(size):  # where the two agree
        chart.add_shape(
            type="rect",
            **{"x0": place - 0.48, "x1": place + 0.48, "y0": place - 0.48, "y1": place + 0.48},
            line={"color": style.ANNOTATORS.colour, "width": 1.5},
        )
    ticks = [_label(table, level) for level in table.scale]
    axis = {"type": "category", "showgrid": False, "fixedrange": True}
    axis |= {"tickvals": scale, "ticktext": ticks, "automargin": True}
    units = table.units
    judges = say("judge's label" if units else "judge's score")
    persons = say("annotator's label" if units else "annotator's score")
    under = f"{judges}<br><br>{say('shade: share of the row')}"
    chart.update_xaxes(title=under, side="bottom", range=[-0.5, size - 0.5], **axis)
    chart.update_yaxes(title=persons, range=[size - 0.5, -0.5], **axis)
    top = 12 + title_height(title)
    titled(style.styled(chart, top + side * size + 70 + _LEGEND), title)
    return chart.update_layout(margin={"t": top, "b": 56 + _LEGEND, "l": 8, "r": 8})


def confusion_alt(table: Confusion) -> str:
    """The confusion table in words, a line per annotator's score."""
    units = table.units
    lines = [
        say(
            "annotator {score}: {counts}",
            score=score(units, level),
            counts=", ".join(map(str, line)),
        )
        for level, line in zip(table.scale, table.items, strict=True)
    ]
    return say(
        "{units} by annotator's score, for judge's scores {scale}: {lines}.",
        units=capital(plural(units)),
        scale=", ".join(score(units, level) for level in table.scale),
        lines="; ".join(lines),
    )


def _legend() -> dict:
    """The bar below the map that says what a shade is: else a dark 2 seems more than a light 9."""
    return {
        "orientation": "h",
        "thickness": 10,
        "len": 0.9,
        "x": 0.5,
        "y": 0,
        "yref": "container",
        "yanchor": "bottom",
        "ypad": 4,
        "outlinewidth": 0,
        "tickvals": [0, 0.5, 1],
        "tickformat": ".0%",
    }


def _label(table: Confusion, level: int) -> str:
    """A score on an axis: the number, or the label of units, a word a line."""
    units = table.units
    return "<br>".join(units.labels[str(level)].split()) if units else str(level)


def _spots(table: Confusion, side: int) -> go.Scatter:
    """Markers over the cells: a heat map alone reports no click, nearly invisible markers do."""
    scale = table.scale
    shares = _row_shares(table.weights)
    cells = [(row, column) for row in range(len(scale)) for column in range(len(scale))]
    return go.Scatter(
        x=[str(scale[column]) for _, column in cells],
        y=[str(scale[row]) for row, _ in cells],
        customdata=[[scale[row], scale[column]] for row, column in cells],
        text=[
            say(
                "annotator {person}, judge {judge}: {count}, {share}% of all with annotator score "
                "{person}",
                person=score(table.units, scale[row]),
                judge=score(table.units, scale[column]),
                count=how_many(table.units, table.items[row][column]),
                share=percent(shares[row][column]),
            )
            for row, column in cells
        ],
        mode="markers",
        marker={"size": side - 8, "symbol": "square", "color": "rgba(0,0,0,0.01)"},
        selected={"marker": {"opacity": 1}},
        unselected={"marker": {"opacity": 1}},
        hovertemplate="%{text}<extra></extra>",
        showlegend=False,
    )


def _row_shares(weights: list[list[float]]) -> list[list[float]]:
    """Return each row of weights as shares of its sum; zeros where the row is empty."""
    return [[cell / sum(line) if sum(line) else 0.0 for cell in line] for line in weights]
