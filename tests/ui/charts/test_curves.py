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
        up="standard error",
        kind="number",
        curves=(Curve("pumps", 0, points),),
        curves_are="segments",
    )
    assert curves.draw(of).layout.xaxis.tickformat == ","
