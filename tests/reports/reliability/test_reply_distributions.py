"""The table of the probabilities in a judge's replies to one answer."""

from concord.model import NATIVE, Distribution
from concord.reports.reliability import reply_distributions
from concord.store import graders, grades, items
from concord.store.grades import Press


def one_of(store, sheet):
    """An item of the sheet, and a new judge."""
    return items.item_ids(store, sheet.id)[0], graders.ensure(store, "judge", "decides", "f")


def given(store, item, judge, rubric, *shares, repeat=1, outside=None):
    version = next(iter(rubric[1].versions().values()))
    pairs = tuple((float(score), p) for score, p in enumerate(shares))
    found = Distribution(NATIVE, pairs, outside)
    grades.record(store, [Press(item, version, judge, score=3, repeat=repeat, distribution=found)])


def table(store, item, judge, rubric):
    return reply_distributions.table(store, item, judge, rubric[1].versions())


def test_each_score_is_a_column_with_its_probability_as_returned(store, sheet, rubric):
    item, judge = one_of(store, sheet)
    given(store, item, judge, rubric, 0.1, 0.0, 0.2, 0.69)
    found = table(store, item, judge, rubric)
    assert [str(one.title) for one in found.columns] == ["criterion", "score", "0", "1", "2", "3"]
    assert found.rows == (("correctness", 3, 0.1, 0.0, 0.2, 0.69),)


def test_repeats_and_what_fell_outside_have_columns_where_there_are_any(store, sheet, rubric):
    item, judge = one_of(store, sheet)
    given(store, item, judge, rubric, 0.5, 0.5, 0, 0, outside=0.25)
    given(store, item, judge, rubric, 0, 0, 0, 1, repeat=2)
    found = table(store, item, judge, rubric)
    assert [str(one.title) for one in found.columns][:2] == ["criterion", "repeat"]
    assert [(row[1], row[-1]) for row in found.rows] == [(1, 0.25), (2, None)]


def test_without_probabilities_there_is_no_row(store, sheet, rubric):
    item, judge = one_of(store, sheet)
    version = next(iter(rubric[1].versions().values()))
    grades.record(store, [Press(item, version, judge, score=3)])
    assert table(store, item, judge, rubric).rows == ()
