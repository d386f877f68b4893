import sqlite3

import pytest

from concord.model import Distribution
from concord.store import grades, permissions
from concord.store.database import Refused
from concord.store.grades import Press, record

FOUND = Distribution("native", ((0, 0.04), (1, 0.06), (2, 0.2), (3, 0.699)), 0.001)


def stored(store, sheet, judge_id, version):
    return grades.distributions_of_grader(store, sheet.id, judge_id, {version: "correctness"})


def test_a_distribution_comes_back_as_it_was_returned(store, sheet, judge_id, item_id, version):
    record(store, [Press(item_id, version, judge_id, score=3, distribution=FOUND)])
    assert stored(store, sheet, judge_id, version) == {(item_id, "correctness", 1): FOUND}
    assert grades.graders_with_distributions(store, sheet.id) == {judge_id}


def test_only_the_current_grade_has_its_distribution_read(store, sheet, judge_id, item_id, version):
    record(store, [Press(item_id, version, judge_id, score=3, distribution=FOUND)])
    record(store, [Press(item_id, version, judge_id, score=2)])
    assert stored(store, sheet, judge_id, version) == {}
    assert store.value("select count(*) from distributions") == 1


def test_grades_stored_together_keep_their_own_distributions(
    store, sheet, judge_id, item_id, version
):
    other = FOUND._replace(outside=0.5)
    press = Press(item_id, version, judge_id, score=3)
    together = [press._replace(distribution=FOUND), press._replace(repeat=2)]
    record(store, [*together, press._replace(repeat=3, distribution=other)])
    found = stored(store, sheet, judge_id, version)
    assert found == {(item_id, "correctness", 1): FOUND, (item_id, "correctness", 3): other}


def test_scores_of_any_scale_come_back_in_rising_order(store, sheet, judge_id, item_id, version):
    found = Distribution("stated", ((-1, 0.5), (2.5, 0.25), (10, 0.25)))
    record(store, [Press(item_id, version, judge_id, score=2.5, distribution=found)])
    assert stored(store, sheet, judge_id, version)[item_id, "correctness", 1] == found


@pytest.mark.parametrize("outside", [-0.1, 1.1])
def test_the_mass_outside_the_scale_lies_between_0_and_1(
    store, judge_id, item_id, version, outside
):
    press = Press(item_id, version, judge_id, distribution=FOUND._replace(outside=outside))
    with pytest.raises(sqlite3.IntegrityError):
        record(store, [press._replace(score=1)])


def test_a_probability_that_is_no_number_is_not_stored(store, judge_id, item_id, version):
    broken = FOUND._replace(probabilities=((0, float("nan")),))
    with pytest.raises(ValueError, match="JSON"):
        record(store, [Press(item_id, version, judge_id, score=1, distribution=broken)])
    assert store.value("select count(*) from grades") == 0


def test_an_adjudicator_cannot_read_them(store, judge_id, item_id, version):
    record(store, [Press(item_id, version, judge_id, score=3, distribution=FOUND)])
    permissions.blind(store)
    with pytest.raises(Refused):
        store.rows("select * from distributions")
