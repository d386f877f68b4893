"""A threshold fitted to annotators on some questions and read on the others."""

from dataclasses import replace

import numpy as np
import pytest

from concord.messages import message_of
from concord.reports import cells as written
from concord.reports import terminal
from concord.reports.metrics import metric_records as readings
from concord.reports.metrics import metric_validity, sheet_metrics
from concord.reports.panel import threshold_fit
from concord.stats.core.estimate import undefined
from concord.stats.correction import threshold
from tests.support.measured_sets import ANNOTATORS, COUNT, FAR, NEAR, found_by
from tests.support.panels import give

ONES = np.ones(6)


def test_the_cut_lies_between_the_numbers_that_annotators_fail_and_pass():
    values = np.array([0.1, 0.2, 0.4, 0.6, 0.7, 0.9])
    assert threshold.fit(values, np.array([0, 0, 0, 1, 1, 1.0]), ONES) == pytest.approx(0.5)
    # 0.4 is passed: at 0.3 two of two below and four of four above
    assert threshold.fit(values, np.array([0, 0, 1, 1, 1, 1.0]), ONES) == pytest.approx(0.3)


def test_balanced_accuracy_is_the_mean_of_both_shares():
    values = np.array([0.1, 0.2, 0.4, 0.6, 0.7, 0.9])
    passing = np.array([0, 1, 0, 1, 1, 1.0])
    # at .5: three of four passed are above, both failed are below: (3/4 + 1) / 2
    assert threshold.balanced(values, passing, np.arange(6), ONES, 0.5).value == pytest.approx(
        0.875
    )
    # at .15: all four above, one of two below: (1 + 1/2) / 2
    assert threshold.balanced(values, passing, np.arange(6), ONES, 0.15).value == pytest.approx(
        0.75
    )
    gain = threshold.gain(values, passing, np.arange(6), ONES, (0.5, 0.15))
    assert gain.value == pytest.approx(0.125) and gain.low is None


def test_an_answer_that_half_of_its_annotators_pass_counts_half_on_either_side():
    values, passing = np.array([0.2, 0.8, 0.8]), np.array([0, 1, 0.5])
    # above: 1.5 of 1.5 passed; below: 1 of 1.5 failed
    found = threshold.balanced(values, passing, np.arange(3), np.ones(3), 0.5)
    assert found.value == pytest.approx((1 + 1 / 1.5) / 2)


def test_of_equally_good_cuts_the_middle_one_is_taken():
    values, passing = np.array([0.0, 1, 2, 3, 4]), np.array([0, 0, 0.5, 1, 1])
    # 1.5 and 2.5 both give .9; the lower of the two middle ones is taken
    assert threshold.fit(values, passing, np.ones(5)) == 1.5
    assert threshold.fit(np.ones(5), passing, np.ones(5)) is None
    assert threshold.fit(values, np.ones(5), np.ones(5)) is None


def test_two_cuts_that_divide_alike_have_no_difference_to_speak_of():
    values, passing = np.array([0.2, 0.8]), np.array([0, 1.0])
    found = threshold.gain(values, passing, np.arange(2), np.ones(2), (0.4, 0.6))
    why = "both thresholds give every answer the same verdict"
    assert (found.value, message_of(found.why_none)) == (None, why)
    one_sided = threshold.balanced(values, np.ones(2), np.arange(2), np.ones(2), 0.5)
    assert message_of(one_sided.why_none) == "annotators pass every answer"


def test_a_question_stays_on_its_side_when_others_come_in():
    few, many = threshold.fits([3, 8, 8]), threshold.fits(list(range(200)))
    assert (few[0], few[1], few[2]) == (many[3], many[8], many[8])
    assert 70 < many.sum() < 130


@pytest.mark.parametrize(
    ("values", "passing", "says"),
    [
        (
            np.arange(29.0),
            np.arange(29) % 2,
            "a threshold requires 30 answers with a value and a grade; so far 29",
        ),
        (np.ones(40), np.arange(40) % 2, "no variation"),
        (np.arange(40) % 2, np.arange(40) % 2, "only two values"),
        (np.arange(40.0), np.ones(40), "annotators fail 0 answers; it requires 5"),
        (np.arange(40.0), np.arange(40) < 4, "choose the threshold annotators pass"),
    ],
)
def test_where_no_cut_can_be_fitted_it_says_why(values, passing, says):
    fitting = np.arange(40)[: len(values)] % 2 == 0
    why = threshold.too_few(np.asarray(values, float), np.asarray(passing, float), fitting)
    assert says in message_of(why)


def test_the_cut_is_chosen_by_some_questions_and_read_on_the_others(held, threshold_rows):
    row = threshold_rows["faithfulness"]
    assert row.n + row.fitted_on.n == COUNT and min(row.n, row.fitted_on.n) > 10
    fitting = threshold.fits(range(1, COUNT + 1))
    passing = (ANNOTATORS >= 2).astype(float)
    expected = threshold.fit(NEAR[fitting], passing[fitting], np.ones(fitting.sum()))
    assert row.threshold == pytest.approx(expected)
    above = NEAR[~fitting] >= expected
    here = passing[~fitting]
    shares = above[here == 1].mean(), (~above)[here == 0].mean()
    assert row.balanced.value == pytest.approx(np.mean(shares))
    assert row.usual == 0.5 and row.passing == here.sum()
    assert row.balanced.why_none or row.balanced.low < row.balanced.value


def test_where_less_is_better_the_cut_is_the_most_that_passes(threshold_rows):
    near, noise = threshold_rows["faithfulness"], threshold_rows["noise_sensitivity_relevant"]
    assert noise.threshold == pytest.approx(1 - near.threshold) and noise.better == "lower"
    assert noise.balanced.value == pytest.approx(near.balanced.value)
    table = metric_validity.table([near, noise])
    shown = {row[0]: row[2] for row in table.rows}
    passing = [one.title for one in table.columns].index("annotators pass")
    assert written.shown(table)[1][0][passing] == f"{near.passing:.0f}"
    assert shown[noise.name].startswith("≤") and shown[near.name].startswith("≥")


def test_a_metric_without_a_range_has_no_default_and_says_so(threshold_rows):
    why = undefined("the metric has no default threshold, as it has no range")
    bare = replace(threshold_rows["faithfulness"], usual=None, usual_balanced=why, gain=why)
    (cells,) = metric_validity.table([bare]).rows
    assert cells[4] is None and "it has no range" in cells[-1]


def test_the_usual_cut_of_a_likeness_is_that_of_unrelated_texts(held):
    panel, found = held
    every = metric_validity.series(found)
    usual = {(every[0].judge, every[0].metric): 0.1}
    first = metric_validity.threshold_rows(every, panel, "correctness", usual)[0]
    assert first.usual == 0.1 and first.gain.value == pytest.approx(
        first.balanced.value - first.usual_balanced.value
    )


def test_a_composite_has_no_failing_scores_and_no_annotators_no_cut(held):
    panel, found = held
    row = metric_validity.threshold_rows(metric_validity.series(found), panel, "composite")[0]
    assert row.threshold is None and row.why_none == threshold_fit.OF_COMPOSITE
    assert row.balanced.value is None
    assert metric_validity.table([row]).rows[0][-1] == threshold_fit.OF_COMPOSITE
    assert metric_validity.fitted(metric_validity.series(found), None) == []


def test_the_document_holds_the_cuts_and_its_text_says_them(store, held):
    panel, found = held
    whole = sheet_metrics.report(store, panel.sheet, found)
    assert {row.metric for row in whole.fitted_thresholds} == {
        "faithfulness",
        "noise_sensitivity_relevant",
        "context_recall",
    }
    assert "Thresholds fitted to annotators' grades" in terminal.text(sheet_metrics.document(whole))


def test_few_graded_answers_have_no_cut_but_its_reason(store, forty):
    from concord.reports.panel import panel_reading
    from concord.store.rubrics import rubric_versions

    _, rubric = rubric_versions.named(store, "doc-qa-0-3")
    give(store, rubric, "Ana", {n: int(score) for n, score in enumerate(ANNOTATORS[:12])})
    found_by(store, "context_recall", FAR)
    panel = panel_reading.read(store, forty, rubric)
    (row,) = metric_validity.threshold_rows(
        metric_validity.series(readings.read(store, forty)), panel, "correctness"
    )
    assert row.threshold is None and "with a value and a grade; so far 12" in message_of(
        row.why_none
    )
