"""Show a chart of a document on the screen; apart from `render`, since few screens need plotly."""

from collections.abc import Mapping
from functools import partial
from html import escape
from types import MappingProxyType

import streamlit as st

from concord.clock import today
from concord.reports import charts
from concord.reports.document import Chart, Document
from concord.ui.charts import calibration, curves, dots, intervals, matrix, points, slopes
from concord.ui.frame import offer_download
from concord.ui.language import language, say

_ZOOM = ["zoom2d", "pan2d", "zoomIn2d", "zoomOut2d", "autoScale2d", "resetScale2d"]
_DRAW = {
    charts.Calibration: calibration.draw,
    charts.Curves: curves.draw,
    charts.Dots: dots.draw,
    charts.Intervals: intervals.draw,
    charts.Matrix: matrix.draw,
    charts.Points: points.draw,
    charts.Slopes: slopes.draw,
}


def show_charts(document: Document, name: str) -> None:
    """Show all charts of a document; `name` begins the names of the downloads."""
    for chart in document.charts:
        show_chart(chart, name)


def show_chart(chart: Chart, name: str, look: Mapping[str, bool] = MappingProxyType({}), **options):
    """Show a chart with its text alternative, offered as HTML; its own bar saves it as PNG.

    `look` are options of what draws the chart, `options` go to `st.plotly_chart`.
    """
    drawn, name = _DRAW[type(chart)](chart, **look), f"{name}-{chart.name}"
    alt, spoken = say(chart.alt), language()
    shown = st.plotly_chart(
        drawn,
        key=f"figure.{name}",
        alt=alt,
        config={
            "displaylogo": False,
            "modeBarButtonsToRemove": _ZOOM,  # they would cover the title of a narrow chart
            "toImageButtonOptions": {"filename": name, "scale": 2},
        },
        **options,
    )
    whole = partial(_standalone, drawn, name, alt, spoken)
    offer_download(whole, f"{name}.html", "text/html")
    return shown


def _standalone(chart, name: str, alt: str, spoken: str) -> str:
    """A page that holds the chart, its name, its figures in words and the day it was made."""
    drawn = chart.to_html(full_html=False, include_plotlyjs=True)
    return (
        f'<!doctype html><html lang="{spoken}"><meta charset="utf-8"><title>{escape(name)}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<body style="font-family: system-ui, sans-serif"><main>{drawn}<p>{escape(alt)}</p>'
        f'<h1 style="font-size: 1rem">{escape(name)}</h1><p>Concord, {today()}</p></main></body>'
        "</html>"
    )
