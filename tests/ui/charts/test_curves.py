"""Curves as they are drawn."""

from concord.reports.charts import Curve, CurvePoint, Curves
from concord.ui.charts import curves


def test_the_resamples_of_segments_have_their_thousands_parted_as_in_the_table():
    points = (CurvePoint(500, 0.2), CurvePoint(10_000, 0.1))
    of = Curves(
        "settled",
        "",
        "",
        across="resamples (B)",
        up="standard error, relative to the last",
        kind="number",
        curves=(Curve("pumps", 0, points),),
        curves_are="segments",
    )
    chart = curves.draw(of)
    assert chart.layout.xaxis.tickformat == ","
    # In one line it is longer than the plot is high, and touches the title of the chart.
    assert chart.layout.yaxis.title.text == "standard error,<br>relative to the last"
