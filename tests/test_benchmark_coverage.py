"""The simulation behind the coverage table of docs/statistics.md."""

import numpy as np
import pytest

from benchmarks import coverage


@pytest.mark.parametrize("spread", ["balanced", "70/22/5/3"])
def test_made_up_sheets_are_as_described(spread):
    sheet = coverage.made_up(np.random.default_rng(1), spread, 8000)
    shares = np.bincount(sheet.truth.ravel()) / sheet.truth.size
    assert shares == pytest.approx(coverage.SPREADS[spread], abs=0.02)
    wrong = sheet.person != sheet.truth
    assert wrong.mean() == pytest.approx(coverage.ERROR, abs=0.01)
    assert np.abs(sheet.judges[0] - sheet.truth).max() == 1
    assert set(np.unique(sheet.person)) <= set(coverage.SCALE)


def test_every_interval_is_measured_and_the_table_says_how_often_it_is_given(monkeypatch):
    monkeypatch.setattr(coverage, "POPULATION", 2000)
    random = np.random.default_rng(2)
    truth = coverage.true_values(random, "balanced")
    cell = coverage.metric(random, "balanced", 20, 6, truth)
    assert set(cell.held) == {*truth, coverage.ALL_HOLD, coverage.BY_SEGMENT}
    assert cell.given["exact"] == 1 and cell.held["exact"] > 0.5
    assert cell.given["Rogan-Gladen share"] < 1
    lines = coverage.table([cell]).splitlines()
    assert len(lines) == 2 + len(cell.held)
    assert lines[0] == "| figure | balanced, 20 |"
