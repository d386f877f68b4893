"""The simulation behind the coverage table of docs/statistics.md."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

SCRIPT = Path(__file__).parent.parent / "benchmarks" / "coverage.py"


@pytest.fixture(scope="module")
def script():
    found = importlib.util.spec_from_file_location("benchmarks_coverage", SCRIPT)
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


@pytest.mark.parametrize("spread", ["balanced", "70/22/5/3"])
def test_made_up_sheets_are_as_described(script, spread):
    sheet = script.made_up(np.random.default_rng(1), spread, 8000)
    shares = np.bincount(sheet.truth.ravel()) / sheet.truth.size
    assert shares == pytest.approx(script.SPREADS[spread], abs=0.02)
    wrong = sheet.person != sheet.truth
    assert wrong.mean() == pytest.approx(script.ERROR, abs=0.01)
    assert np.abs(sheet.judges[0] - sheet.truth).max() == 1
    assert set(np.unique(sheet.person)) <= set(script.SCALE)


def test_every_interval_is_measured_and_the_table_says_how_often_it_is_given(script, monkeypatch):
    monkeypatch.setattr(script, "POPULATION", 2000)
    random = np.random.default_rng(2)
    truth = script.true_values(random, "balanced")
    cell = script.metric(random, "balanced", 20, 6, truth)
    assert set(cell.held) == {*truth, script.ALL_HOLD, script.BY_SEGMENT}
    assert cell.given["exact"] == 1 and cell.held["exact"] > 0.5
    assert cell.given["Rogan-Gladen share"] < 1
    lines = script.table([cell]).splitlines()
    assert len(lines) == 2 + len(cell.held)
    assert lines[0] == "| figure | balanced, 20 |"
