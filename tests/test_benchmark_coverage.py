"""The simulation behind the coverage table of docs/statistics.md."""

import numpy as np
import pytest

from benchmarks import coverage


@pytest.mark.parametrize("spread", ["balanced", "70/22/5/3"])
def test_made_up_sheets_are_as_described(spread):
    sizes = np.resize(coverage.SIZES["1 or 10"], 16_000)
    random = np.random.default_rng(1)
    sheet = coverage.made_up(random, coverage.World(spread, whole=True), sizes)
    assert (np.bincount(sheet.cluster) == sizes).all()
    p = np.array(coverage.SPREADS[spread])
    moved = np.array([p[1] / 2, p[0] + p[2] / 2, p[3] + p[1] / 2, p[2] / 2])
    shares = np.bincount(sheet.person.ravel()) / sheet.person.size
    assert shares == pytest.approx(0.85 * p + 0.15 * moved, abs=0.02)
    assert np.abs(sheet.judges[0] - sheet.judges[1]).max() == 2


def test_every_interval_is_measured_and_tables_say_how_often_and_how_wide(monkeypatch):
    monkeypatch.setattr(coverage, "POPULATION", 2000)
    random, world = np.random.default_rng(2), coverage.World("balanced", whole=True)
    truth = coverage.true_values(random, world)
    cell = coverage.cell(random, world, coverage.SIZES["1/2/3/8"], 30, 6, truth)
    assert set(cell) == {*truth, coverage.ALL_HOLD, coverage.BY_SEGMENT}
    assert cell["exact"].given == 1 and cell["exact"].held > 0.5 and cell["exact"].width > 0.5
    assert cell["Rogan-Gladen share"].given < 1
