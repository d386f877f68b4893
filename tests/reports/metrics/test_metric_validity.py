"""Metrics against annotators, fitted thresholds and details of a mean, by hand arithmetic."""

import json

import numpy as np
import pytest
from scipy import stats as scipy_stats

from concord.messages import Problem, message_of
from concord.reports.document import as_json
from concord.reports.metrics import metric_records as readings
from concord.reports.metrics import metric_validity, metrics
from concord.reports.panel import panel as panel_reading
from concord.stats.agreement import rank_correlation
from concord.store import graders, items, metric_values
from concord.store.grades import Press
from concord.store.metric_values import NewMetricValue
from concord.store.rubrics import rubric_versions
from tests.support.measured_sets import ANNOTATORS, COUNT, NEAR, found_by
from tests.support.panels import give as panels_give


def give(store, name, *parts, value=0.5, repeat=1):
    """A metric's number for the items in order, each with its parts; None for no number."""
    metric_values.register(store, name, f"v-{name}", json.dumps({"metric": name, "switches": {}}))
    mine = graders.ensure(store, "metric", "mine", "f1")
    for item_id, beside in enumerate(parts, 1):
        press = Press(item_id, f"v-{name}", mine, repeat=repeat, score=value)
        if beside is None:
            press = press._replace(status="failed", score=None)
        metric_values.record(store, [NewMetricValue(press, beside or {}, (), 1, ())])


def validity(panel, found, criterion="correctness"):
    return metric_validity.against(found, panel, criterion).rows


def only_row(store, sheet):
    """The only row as JSON has it."""
    [row] = as_json(metrics.report(store, sheet, readings.read(store, sheet)))["rows"]
    return row


def test_all_three_rates_of_facts_stand_beside_the_share_that_is_supported(store, four_questions):
    rates = ("supports", "refutes", "not enough info")
    said = [dict(zip(rates, one, strict=True)) for one in ((0.5, 0.25, 0.25), (0.5, 0, 0.5))]
    give(store, "fact_support", *({"strict": 0.5, **one} for one in said), None)
    give(store, "fact_support", {"supports": 0, "refutes": 1, "not enough info": 0}, repeat=2)
    row = only_row(store, four_questions)
    assert row["parts"]["not enough info"] == {"n": 2, "mean": 0.375}
    assert row["parts"].keys() == {*rates}


def test_a_part_that_some_answers_lack_says_of_how_many_it_is(store, four_questions):
    give(store, "faithfulness", {"contradicted": 0.2}, {"contradicted": None}, {})
    row = only_row(store, four_questions)
    assert row["parts"] == {"contradicted": {"n": 1, "mean": 0.2}}


def test_votes_are_counted_over_the_answers_that_got_one(store, four_questions):
    give(store, "tone", *({"votes for 1": 3}, {"votes for 0": 1, "votes for 1": 2}, {}, None))
    row = only_row(store, four_questions)
    assert row["parts"] == {
        "votes for 1": {"n": 2, "mean": 2.5},
        "votes for 0": {"n": 1, "mean": 1.0},
    }


def test_the_metric_that_rises_with_annotators_stands_first_with_its_interval(held):
    panel, found = held
    rows = validity(panel, found)
    expected = scipy_stats.spearmanr(NEAR, ANNOTATORS).statistic
    assert rows[0].correlation.value == pytest.approx(expected)
    assert rows[0].correlation.low < expected < rows[0].correlation.high and rows[0].n == COUNT
    assert rows[-1].metric == "context_recall"


def test_where_less_is_better_the_correlation_is_turned_round(held):
    panel, found = held
    rows = validity(panel, found)
    by_name = {row.metric: row.correlation.value for row in rows}
    assert by_name["noise_sensitivity_relevant"] == pytest.approx(by_name["faithfulness"])


def test_how_well_a_metric_tells_passed_from_failed_answers_stands_beside(held):
    panel, found = held
    rows = validity(panel, found)
    by_name = {row.metric: row for row in rows}
    near, passing = by_name["faithfulness"], ANNOTATORS >= 2
    expected = scipy_stats.mannwhitneyu(NEAR[passing], NEAR[~passing]).statistic
    expected /= passing.sum() * (~passing).sum()
    assert near.auc.value == pytest.approx(expected) and near.passing == passing.sum()
    turned = by_name["noise_sensitivity_relevant"].auc.value
    assert turned == pytest.approx(expected)
    far = by_name["context_recall"].auc
    assert far.low < far.value < far.high and far.low < 0.6
    composite = validity(panel, found, "composite")[0]
    assert composite.passing is None and composite.auc.value is None


def test_of_pairs_of_a_passed_and_a_failed_answer_ties_count_half():
    # 5 fail with 1, 5 with 2; 10 pass with 2, 10 with 3: of 200 pairs 50 are tied, 150 in order
    values = np.repeat([1, 2, 2, 3], [5, 5, 10, 10]).astype(float)
    passing = np.repeat([0, 0, 1, 1], [5, 5, 10, 10]).astype(float)
    found = rank_correlation.auc(values, passing, np.arange(30) % 5)
    assert found.value == pytest.approx((150 + 50 / 2) / 200) and found.low is None
    assert rank_correlation.auc(-values, passing, np.arange(30)).value == pytest.approx(1 - 0.875)
    none = rank_correlation.auc(values, np.ones(30), np.arange(30))
    assert none.value is None
    assert "requires 30" in message_of(
        rank_correlation.auc(values[:29], passing[:29], np.arange(29)).why_none
    )


def test_an_answer_whose_annotators_differ_is_not_held_against_itself():
    values = np.arange(30.0)
    passing = np.where(values < 14, 0.0, 1.0)
    passing[14] = 0.5  # its passing half beats the 14 below, its failing half loses to the 15 above
    assert rank_correlation.auc(values, passing, np.arange(30) % 3).value == 1


def test_annotators_who_differ_count_with_their_mean(store, forty):
    _, rubric = rubric_versions.named(store, "doc-qa-0-3")
    panels_give(store, rubric, "Ana", {0: 3, 1: 1})
    panels_give(store, rubric, "Ben", {0: 0})
    panel = panel_reading.read(store, forty, rubric)
    said = metric_validity.annotators(panel, "correctness")
    assert said["score"].to_dict() == {1: 1.5, 2: 1.0}


def diagnosis(store, sheet, against=()):
    """The failing answers by metric."""
    names = items.answer_names(store, sheet.id)
    found = metric_validity.diagnosis(readings.read(store, sheet), names, against)
    return {one["metric"]: one for one in found}


def test_an_advice_names_its_failing_answers_worst_first(store, forty):
    found_by(store, "faithfulness", [0.1, 0.9, 0.4, 0.5, 0.0])
    found_by(store, "noise_sensitivity_relevant", [0.9, 0.1, 0.2, 0.6, 0.0])
    rows = diagnosis(store, forty)
    faithful, noise = rows["faithfulness"], rows["noise_sensitivity_relevant"]
    names = items.answer_names(store, forty.id)
    assert (faithful["items"], faithful["n"]) == ([names[i] for i in (5, 1, 3)], 5)
    assert faithful["mean"].value == pytest.approx(3 / 5) and faithful["advice"]
    assert noise["items"] == [names[1], names[4]] and noise["failing"] == 2


def test_a_number_at_the_cut_itself_passes(store, forty):
    found_by(store, "faithfulness", [0.5, 0.4])
    found_by(store, "noise_sensitivity_relevant", [0.5, 0.6])
    rows = [*diagnosis(store, forty).values()]
    assert {row["failing"] for row in rows} == {1}
    table = metric_validity.diagnosis_table(rows)
    place = [column.title for column in table.columns].index("passes at")
    assert {row[place] for row in table.rows} == {"≥ 0.5", "≤ 0.5"}


def test_metrics_are_held_against_grades_of_whole_answers_only(store, sheet):
    with pytest.raises(Problem, match="claims-in-contexts"):
        metric_validity.panel(store, sheet, "claims-in-contexts")


ONES = np.ones(6)


def test_the_cut_lies_between_the_numbers_that_annotators_fail_and_pass():
    values = np.array([0.1, 0.2, 0.4, 0.6, 0.7, 0.9])
    assert rank_correlation.fit_threshold(
        values, np.array([0, 0, 0, 1, 1, 1.0]), ONES
    ) == pytest.approx(0.5)
    # 0.4 is passed: at 0.3 two of two below and four of four above
    assert rank_correlation.fit_threshold(
        values, np.array([0, 0, 1, 1, 1, 1.0]), ONES
    ) == pytest.approx(0.3)


def test_balanced_accuracy_is_the_mean_of_both_shares():
    values = np.array([0.1, 0.2, 0.4, 0.6, 0.7, 0.9])
    passing = np.array([0, 1, 0, 1, 1, 1.0])
    # at .5: three of four passed are above, both failed are below: (3/4 + 1) / 2
    assert rank_correlation.threshold_accuracy(
        values, passing, np.arange(6), ONES, 0.5
    ).value == pytest.approx(0.875)
    # at .15: all four above, one of two below: (1 + 1/2) / 2
    assert rank_correlation.threshold_accuracy(
        values, passing, np.arange(6), ONES, 0.15
    ).value == pytest.approx(0.75)


def test_an_answer_that_half_of_its_annotators_pass_counts_half_on_either_side():
    values, passing = np.array([0.2, 0.8, 0.8]), np.array([0, 1, 0.5])
    # above: 1.5 of 1.5 passed; below: 1 of 1.5 failed
    found = rank_correlation.threshold_accuracy(values, passing, np.arange(3), np.ones(3), 0.5)
    assert found.value == pytest.approx((1 + 1 / 1.5) / 2)


def test_of_equally_good_cuts_the_middle_one_is_taken():
    values, passing = np.array([0.0, 1, 2, 3, 4]), np.array([0, 0, 0.5, 1, 1])
    # 1.5 and 2.5 both give .9; the lower of the two middle ones is taken
    assert rank_correlation.fit_threshold(values, passing, np.ones(5)) == 1.5
    assert rank_correlation.fit_threshold(np.ones(5), passing, np.ones(5)) is None
    assert rank_correlation.fit_threshold(values, np.ones(5), np.ones(5)) is None


def test_a_question_stays_on_its_side_when_others_come_in():
    few, many = rank_correlation.choosing([3, 8, 8]), rank_correlation.choosing(list(range(200)))
    assert (few[0], few[1], few[2]) == (many[3], many[8], many[8])
    assert 70 < many.sum() < 130


@pytest.mark.parametrize(
    ("values", "passing", "code"),
    [
        (np.arange(29.0), np.arange(29) % 2, "too_few_answers_for_threshold"),
        (np.ones(40), np.arange(40) % 2, "metric_constant"),
        (np.arange(40) % 2, np.arange(40) % 2, "metric_two_valued"),
        (np.arange(40.0), np.ones(40), "too_few_of_a_class_in_half"),
        (np.arange(40.0), np.arange(40) < 4, "too_few_of_a_class_in_half"),
    ],
)
def test_where_no_cut_can_be_fitted_it_says_why(values, passing, code):
    fitting = np.arange(40)[: len(values)] % 2 == 0
    why = rank_correlation.too_few_for_threshold(
        np.asarray(values, float), np.asarray(passing, float), fitting
    )
    assert why.code == code


def test_the_cut_is_chosen_by_some_questions_and_read_on_the_others(held):
    row = {row.metric: row for row in validity(*held)}["faithfulness"]
    fitting = rank_correlation.choosing(range(1, COUNT + 1))
    passing = (ANNOTATORS >= 2).astype(float)
    expected = rank_correlation.fit_threshold(
        NEAR[fitting], passing[fitting], np.ones(fitting.sum())
    )
    assert row.threshold == pytest.approx(expected)
    above = NEAR[~fitting] >= expected
    here = passing[~fitting]
    shares = above[here == 1].mean(), (~above)[here == 0].mean()
    assert row.balanced.value == pytest.approx(np.mean(shares))
    assert row.balanced.why_none or row.balanced.low < row.balanced.value


def test_where_less_is_better_the_cut_is_the_most_that_passes(held):
    rows = {row.metric: row for row in validity(*held)}
    near, noise = rows["faithfulness"], rows["noise_sensitivity_relevant"]
    assert noise.threshold == pytest.approx(1 - near.threshold)
    assert noise.balanced.value == pytest.approx(near.balanced.value)
    table = metric_validity.validity_table([near, noise])
    place = [column.title for column in table.columns].index("threshold")
    assert [row[place][0] for row in table.rows] == ["≥", "≤"]
