"""Style of every chart: colours and shapes, and one template for light and dark.

Annotators are orange everywhere and judges are blues and greens, each with a shape of its own, so
that no chart depends on colour alone. Lower bounds (the baseline, the majority class) are grey; the
human ceiling is a dashed line. Colours are those of Okabe and Ito (2008), which are distinguishable
under every common kind of colour vision. Text takes the colours of the app's theme when Streamlit
draws the figure.
"""

from typing import Any, NamedTuple

import plotly.graph_objects as go

from concord.reports.charts import Grader


class GraderStyle(NamedTuple):
    """Style of one grader: fill, outline (readable on a light ground) and plotly symbol."""

    colour: str
    outline: str
    symbol: str

    def marker(self, size: int = 11) -> dict[str, str | int | dict[str, str | float]]:
        """The look as a plotly marker."""
        return {
            "color": self.colour,
            "symbol": self.symbol,
            "size": size,
            "line": {"color": self.outline, "width": 1.2},
        }


ANNOTATORS = GraderStyle("#E69F00", "#8F6200", "circle")
BASELINE = GraderStyle("#9AA0A6", "#5F656B", "x")
CONSTANT = GraderStyle("#9AA0A6", "#5F656B", "line-ns-open")
_NAMED = {"annotators": ANNOTATORS, "baseline": BASELINE, "constant": CONSTANT}
FILLS = (("#0072B2", "#004B75"), ("#009E73", "#00634A"), ("#56B4E9", "#1B6E9E"))
SYMBOLS = ("square", "diamond", "triangle-up", "star", "hexagon", "pentagon", "triangle-down")
CEILING = {"color": "#8A9099", "width": 1.6, "dash": "dash"}
GRID = "rgba(128, 132, 140, 0.18)"
FONT = (
    "system-ui, -apple-system, 'Segoe UI', 'Noto Sans', 'Noto Sans CJK SC', 'Noto Sans CJK JP',"
    " 'Noto Sans CJK KR', sans-serif"
)
_INK, _PAPER = "#22262b", "#fdfcfa"


def look(of: Grader) -> GraderStyle:
    """The look of a grader.

    Of judges, colour and shape advance together and return to the same pair only after 21.
    """
    if of in _NAMED:
        return _NAMED[of]
    fill, outline = FILLS[of % len(FILLS)]
    return GraderStyle(fill, outline, SYMBOLS[of % len(SYMBOLS)])


def styled(figure: go.Figure, height: int | None = None, **layout: Any) -> go.Figure:
    """The figure in the house style, and `layout` over it.

    `height` is in pixels, where the content asks for one. All is set in one step: `update_layout`
    takes plotly several times as long.
    """
    axis = {"gridcolor": GRID, "zeroline": False, "automargin": True}
    house = {
        "template": TEMPLATE,
        "margin": {"l": 8, "r": 16, "t": 40 if figure.layout.title.text else 16, "b": 8},
        "legend": {"orientation": "h", "yanchor": "bottom", "y": 1.02, "x": 0},
        "hoverlabel": {"align": "left"},
        "dragmode": False,
        "xaxis": axis,
        "yaxis": axis,
    }
    if height:
        house["height"] = height
    figure.layout = _over(layout, _over(house, figure.layout.to_plotly_json()))
    return figure


def _over(new: dict[str, Any], old: dict[str, Any]) -> dict[str, Any]:
    """Return `old` with `new` over it, also within a part that both have."""
    both = {
        name: _over(part, old[name])
        for name, part in new.items()
        if isinstance(part, dict) and isinstance(old.get(name), dict)
    }
    return old | new | both


def words(x: float, y: float, text: str, **place) -> dict:
    """Words on a chart as an annotation without an arrow; `place` says how they lie."""
    return {"x": x, "y": y, "text": text, "showarrow": False, "font": {"size": 12}} | place


def heat(dark: bool = False) -> list[list]:
    """The colour scale of a heat map, from the ground of the theme to the strongest blue."""
    if dark:
        return [[0.0, "#20252b"], [0.5, "#0072B2"], [1.0, "#9AD5F7"]]
    return [[0.0, "#f3f1ec"], [0.5, "#56A3D0"], [1.0, "#00416A"]]


def heat_ink(share: float, dark: bool) -> str:
    """The ink that can be read on this shade of a heat map."""
    if dark:
        return "white" if share < 0.55 else "black"
    return "black" if share < 0.7 else "white"


def _template() -> go.layout.Template:
    """Return the style of a figure outside the app, where no theme colours it."""
    title = {"standoff": 12, "font": {"size": 12}}  # as long as a telephone is wide
    axis = {"gridcolor": GRID, "zeroline": False, "automargin": True, "title": title}
    return go.layout.Template(
        layout={
            "font": {"family": FONT, "size": 13, "color": _INK},
            "paper_bgcolor": _PAPER,
            "plot_bgcolor": "rgba(0, 0, 0, 0)",
            "colorway": [fill for fill, _ in FILLS],
            "colorscale": {"sequential": heat()},
            "title": {"x": 0, "xanchor": "left", "font": {"size": 15}},
            "hoverlabel": {"font": {"family": FONT, "size": 13}},
            "xaxis": axis,
            "yaxis": axis,
        }
    )


TEMPLATE = _template()
