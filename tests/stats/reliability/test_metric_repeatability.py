"""How far numbers move when everything is asked once more, by hand arithmetic."""

import numpy as np
import pytest

from concord.reports.metrics import metric_records, sheet_metrics
from concord.stats.reliability.metric_repeatability import asked_again
from concord.store import sheets
from tests.support.measured_sets import give_faithfulness


def again(*rows):
    """Rows of numbers by repeat; None for none."""
    cells = [
        (item, repeat, value)
        for item, row in enumerate(rows)
        for repeat, value in enumerate(row, 1)
        if value is not None
    ]
    item, repeat, value = zip(*cells, strict=True)
    return asked_again(np.array(item), np.array(repeat), np.array(value, float))


def test_the_deviation_within_answers_is_pooled_by_degrees_of_freedom():
    found = again([1.0, 0.5], [0.0, 0.0, 0.6], [1.0])
    # squares: 2 x 0.25^2 = 0.125 and 2 x 0.2^2 + 0.4^2 = 0.24, over 1 + 2 degrees of freedom
    assert found.sd == pytest.approx(((0.125 + 0.24) / 3) ** 0.5)
    assert (found.answers, found.repeats, found.moved) == (2, 3, 2)
    assert found.means == pytest.approx((0.0, 0.0, 0.6))


def test_numbers_that_stay_have_no_deviation():
    found = again([0.5, 0.5], [1.0, 1.0])
    assert (found.sd, found.moved, found.means) == (0.0, 0, (0.75, 0.75))


def test_repeats_of_which_no_answer_has_all_have_no_means_to_compare():
    assert again([0.5, 0.6, None], [None, 0.5, 0.5]).means == ()


def test_nothing_found_twice_says_nothing():
    assert again([0.5], [1.0]) is None
    none = np.array([], np.int64)
    assert asked_again(none, none, none.astype(float)) is None


def test_repeats_stand_beside_the_mean_of_the_first(store, four):
    give_faithfulness(store, "v1", 1.0, 0.5, 0.5)
    assert report(store) is None
    give_faithfulness(store, "v1", 0.5, 0.5, None, repeat=2)
    found = report(store)
    assert (found.again.answers, found.again.moved, found.partly) == (2, 1, 1)
    assert found.again.means == (0.75, 0.5)


def report(store):
    """What the report of the only sheet holds of repeats, which its document shows."""
    sheet = sheets.chosen(store, "four")
    found = metric_records.read(store, sheet)
    whole = sheet_metrics.report(store, sheet, found)
    [row] = whole.rows
    shown = {table.name: table.rows for table in sheet_metrics.document(whole).tables}
    wanted = ("faithfulness", "mine@f1", 2, 2, 1, "0.250", "0.750, 0.500", 1)
    assert shown["repeats"] == ((wanted,) if row.repeats else ())
    return row.repeats
