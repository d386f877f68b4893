"""Show a chart of a document on the screen; apart from `render`, since few screens need plotly."""

from concord.reports.document import Chart
from concord.ui.charts.dots import alt, dots
from concord.ui.widgets import figure


def show_chart(chart: Chart, name: str) -> None:
    """Show a chart with its text alternative; `name` begins the download's name."""
    figure(dots(chart), f"{name}-{chart.table.name}", alt(chart))
