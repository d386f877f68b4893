"""Judges with continuous grades beside others: distances and orders hold, exact scores do not."""

import pytest

from concord.messages import Problem
from concord.reports import terminal
from concord.reports.cascade.confidence_sources import choose_source
from concord.reports.comparison import compare
from concord.reports.comparison.compare_document import document, models_order
from concord.reports.comparison.constant_baseline import recall_difference
from concord.reports.comparison.paired_variants import side_by_side
from concord.reports.panel import variants
from concord.reports.ranking import ranking
from concord.stats.intervals.resampling import Draws
from concord.store import sheets
from concord.store.rubrics import rubric_versions
from tests.support.panels import give, judge, panel
from tests.support.reports.continuous_variants import ANNOTATOR, ONE, OWN


def compared(store, draws=None):
    every = variants.read(store, sheets.all_sheets(store)[0])
    return compare.report(every.every, every.annotators(), draws=draws or Draws(resamples=200))


def test_a_continuous_judge_takes_part_by_its_distance(store, continuous_variants):
    found = compared(store)
    assert (found.n, found.not_compared) == (36, {})
    own = found.of("own")
    assert own.mae.value == pytest.approx(0.25 / 3)
    assert own.bias.value == pytest.approx(-0.25 / 3)
    assert own.own.why_none.code == "continuous_grades"
    assert own.own.exact.value is None and own.spread.effective is None
    assert own.paired.metric == "distance"
    assert own.order.comparable and own.order.swaps == ()


def test_its_recall_of_failing_answers_is_undefined_and_never_zero(store, continuous_variants):
    every = variants.read(store, sheets.all_sheets(store)[0])
    side = side_by_side(every.every, every.annotators(), "correctness")
    place = [one.label for one in side.chosen].index("own")
    found = recall_difference(side, place, 1 - place)
    assert found.value is None and found.why_none.code == "continuous_grades_need_cut"


def test_numbers_beyond_the_scale_are_left_out_with_the_reason(store, continuous_variants):
    judge(store, ONE, "percent", {n: 33.3 * score for n, score in enumerate(ANNOTATOR)})
    found = compared(store)
    assert found.n == 36
    why = "its continuous numbers for correctness run from 33.3 to 99.9, beyond the scale of 0 to 3"
    assert found.not_compared == {"percent": why}
    assert f"percent is not compared: {why}." in terminal.text(document(found))


def test_the_chart_of_the_scores_used_is_of_who_gave_scores(store, continuous_variants):
    _, scores = document(compared(store)).charts
    assert [row.name.split(" · ")[0] for row in scores.rows] == ["annotators", "whole"]
    assert "own" not in scores.alt


def test_where_no_judge_gave_scores_there_is_no_chart_of_them(store, sheet):
    rubric_versions.register(store, ONE, "file")
    give(store, ONE, "Ana", dict(enumerate(ANNOTATOR)))
    judge(store, ONE, "own", dict(enumerate(OWN)))
    assert [one.name for one in document(compared(store)).charts] == ["distance"]


def test_alone_it_says_why_nothing_is_compared(store, sheet):
    rubric_versions.register(store, ONE, "file")
    give(store, ONE, "Ana", dict(enumerate(ANNOTATOR)))
    judge(store, ONE, "percent", {n: 33.3 * score for n, score in enumerate(ANNOTATOR)})
    text = terminal.text(document(compared(store)))
    assert text.startswith("No judge can be compared on correctness")
    assert "percent is not compared" in text


def test_numbers_of_0_to_1_are_warned_of(store, continuous_variants):
    judge(store, ONE, "prob", {n: score / 3 for n, score in enumerate(ANNOTATOR)})
    assert "If they are on a range of 0 to 1" in compared(store).of("prob").note


def test_the_paired_test_is_of_distances(store, continuous_variants):
    every = variants.read(store, sheets.all_sheets(store)[0])
    own, whole = every.named(["own", "whole"])
    found = compare.tested(own, whole, every.annotators(), "correctness")
    assert (found.metric, found.n) == ("distance", 36)


def test_answering_models_are_ranked_by_the_mean_of_the_numbers(store, continuous_variants):
    judge(store, ONE, "percent", {n: 33.3 * score for n, score in enumerate(ANNOTATOR)})
    found = ranking.report(panel(store, ONE), Draws(resamples=200))
    means = {(one.grader, one.answer_model): one.estimate.value for one in found.models}
    assert means["own", "atlas"] == pytest.approx(2.75)
    assert means["percent", "atlas"] == pytest.approx(99.9)
    assert found.left_out["percent"] == {}
    assert all(order.comparable and not order.swaps for order in found.orders)


def test_a_composite_of_several_criteria_takes_only_numbers_on_the_scale(store, sheet, rubric):
    for name in rubric[1].weights():
        give(store, rubric[1], "Ana", dict(enumerate(ANNOTATOR)), name)
        judge(store, rubric[1], "own", dict(enumerate(OWN)), criterion=name)
        far = {n: 33.3 * score for n, score in enumerate(ANNOTATOR)}
        judge(store, rubric[1], "percent", far, criterion=name)
    found = ranking.report(panel(store, rubric[1]), Draws(resamples=200))
    means = {(one.grader, one.answer_model): one.estimate.value for one in found.models}
    assert means["own", "atlas"] == pytest.approx(2.75)
    assert means["percent", "atlas"] is None
    assert found.left_out["percent"] == {
        "a continuous number, which is not a score of the scale": 36
    }


def test_a_judge_that_ranks_all_models_level_has_not_the_annotators_order(
    store, continuous_variants
):
    judge(store, ONE, "flat", dict.fromkeys(range(36), 1.5))
    found = {one.variant: models_order(one) for one in compared(store).variants}
    assert found["own"] == "same as annotators"
    assert found["flat"] == "no swap, 3 pairs tied by one side only"


def test_without_two_judges_on_the_scale_a_cascade_names_the_continuous_ones(
    store, continuous_variants
):
    with pytest.raises(Problem, match=r"gave scores of the scale.*numbers: own"):
        choose_source(continuous_variants, {}, "correctness")
