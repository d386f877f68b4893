"""Two judges: the paired test, and where they differ."""

import numpy as np
import pytest

from concord.reports.comparison import two_judges
from concord.reports.panel import variants
from concord.stats.intervals import tango
from concord.stats.intervals.tango import Discordant
from concord.store import sheets


def test_the_difference_is_that_of_exact_agreement_and_tested_by_question(compared):
    found = compared(wrong=range(0, 12))
    assert found.metric == "exact" and (found.n, found.clusters) == (24, 12)
    assert found.difference.value == pytest.approx(0.5)
    assert found.test.p_value == pytest.approx(2 / 2**6)
    assert found.sentence.startswith(
        "Exact agreement with annotators on correctness, good minus bad: +50.0 ["
    )
    assert found.sentence.endswith("] points (significant)")
    (test,) = two_judges.document(found).facts
    assert test.startswith("24 answers to 12 questions in 12 clusters; sign-flip test")


def test_judges_that_are_alike_are_not_told_apart(compared):
    found = compared()
    assert found.difference.value == 0 and found.test.p_value == 1
    assert " 0.0 points (not significant)" in found.sentence


def test_they_are_compared_by_criterion_answering_model_and_length(compared):
    found = compared(wrong=range(0, 24, 2))
    by = {(row.by, row.group.split(",")[0]): row for row in found.groups}
    assert list(by) == [
        ("criterion", "comprehensiveness"),
        ("criterion", "readability"),
        ("criterion", "composite"),
        ("answering model", "atlas"),
        ("answering model", "birch"),
        ("length", "the shortest third"),
        ("length", "the middle third"),
        ("length", "the longest third"),
    ]
    assert by["answering model", "atlas"].difference.value == 1
    assert by["answering model", "birch"].difference.value == 0
    assert sum(row.n for key, row in by.items() if key[0] == "length") == 24
    assert all(row.p_adjusted >= row.p_value for row in found.groups)


def test_the_composite_is_compared_by_distance_on_the_scale(compared):
    found = compared(wrong=range(0, 12), target="composite")
    assert found.metric == "distance"
    # every second of the wrong ones is 0 for 3 or 3 for 0, the others 1 for 2 or 2 for 1
    assert found.difference.value == pytest.approx((6 * 1 + 6 / 3) / 24)


def test_mcnemar_stands_beside_it_only_where_each_question_has_one_answer(compared):
    assert compared(wrong=range(5)).mcnemar is None


def test_mcnemar_with_one_answer_per_question(compared):
    found = compared(models=("atlas",), wrong=range(5))
    assert found.mcnemar.exact == pytest.approx(2 / 2**5)
    assert found.test.p_value == pytest.approx(2 / 2**5)
    assert found.difference.method.startswith("Tango")
    by_score = tango.difference(Discordant(5, 0, 12, 12))
    assert found.difference.low == pytest.approx(by_score.low)


def test_with_several_answers_per_question_the_interval_is_the_jackknifes(compared):
    assert "jackknife" in compared(wrong=range(5)).difference.method


def test_without_a_common_answer_there_is_no_difference_and_a_reason(store, compared):
    found = compared(questions=1)
    assert found.difference.why_none and found.difference.low is None


def test_where_questions_come_in_clusters_the_test_says_clusters(sample_store):
    sheet = sheets.all_sheets(sample_store)[0]
    found = variants.read(sample_store, sheet)
    first, second = found.named(["simulated-careful-judge", "simulated-lenient-judge"])
    length = np.arange(192, dtype=float)
    tested = two_judges.report(first, second, found.annotators(None), "correctness", length)
    assert (
        "in 30 clusters; sign-flip test by cluster: p < 0.001"
        in two_judges.document(tested).facts[0]
    )
