import pytest

from concord.reports.charts import Calibration, CalibrationBin
from concord.stats.core.estimate import Estimate, with_interval
from concord.ui.charts.calibration import draw


def made(*bins: CalibrationBin) -> Calibration:
    return Calibration("reliability", "the finding", "in words", "confidence", "agreement", bins, 0)


def test_each_bin_is_a_mark_with_its_interval_at_its_mean_confidence():
    sure = CalibrationBin(0.9, 0.8, 1.0, with_interval(0.7, 0.6, 0.8, ""), "70% <of> 40")
    unsure = CalibrationBin(0.5, 0.4, 0.6, Estimate(0.6), "60% of 40")
    line, first, second = draw(made(unsure, sure)).data
    assert (tuple(line.x), tuple(line.y)) == ((0.5, 0.9), (0.6, 0.7))
    assert (second.error_y.array[0], second.error_y.arrayminus[0]) == pytest.approx((0.1, 0.1))
    assert first.error_y.array[0] == 0
    assert second.hovertemplate == "70% &lt;of&gt; 40<extra></extra>"
