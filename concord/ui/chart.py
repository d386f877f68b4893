"""Show a chart of a document on the screen; apart from `render`, since few screens need plotly."""

from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType

from concord.reports.document import Chart, Document
from concord.ui.widgets import figure


def show_charts(document: Document, name: str) -> None:
    """Show all charts of a document; `name` begins the names of the downloads."""
    for chart in document.charts:
        show_chart(chart, name)


def show_chart(chart: Chart, name: str, look: Mapping[str, bool] = MappingProxyType({}), **options):
    """Show a chart with its text alternative; `options` go to `st.plotly_chart`.

    Only the module that draws a chart of this kind is loaded; `look` are its options.
    """
    kind = type(chart).__name__.lower()
    drawn = import_module(f"concord.ui.charts.{kind}").draw(chart, **look)
    return figure(drawn, f"{name}-{chart.name}", chart.alt, **options)
