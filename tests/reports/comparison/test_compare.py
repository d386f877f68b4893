"""The comparison of variants on the same answers."""

import json

import pytest

from concord.messages import Problem
from concord.reports import cells as written_cells
from concord.reports import ranking, terminal
from concord.reports.comparison import NOT_SHARED, compare, document, report
from concord.reports.document import as_json
from concord.reports.panel import variants
from concord.reports.panel.panel import COMPOSITE
from concord.stats.intervals.resampling import Draws
from concord.store import graders, sheets
from concord.store.rubrics import rubric_versions
from tests.support import scales
from tests.support.panels import judge, panel
from tests.support.reports.continuous_grades import ONE, OWN_OF_RANKED, RANKED


def compared(store, sheet, target=None, base=None, **more):
    found = variants.read(store, sheet)
    base = base and found.named([base])[0]
    return report(found.every, found.annotators(), target, base, **more)


def row(found, label):
    return next(row for row in found["variants"] if row["variant"] == label)


def test_variants_are_compared_on_the_answers_all_of_them_scored(store, graded_sheet):
    scales.judged(store, graded_sheet, "three", places=range(0, 60))
    scales.judged(store, graded_sheet, "ten", "doc-qa-0-10", places=range(30, 72))
    found = compared(store, graded_sheet)
    assert found["n"] == 30
    assert found["questions"] == 10
    assert found["left_out"] == {NOT_SHARED: 42}
    assert [row["graded"] for row in found["variants"]] == [60, 42]


def test_a_distance_on_zero_to_one_by_hand(store, graded_sheet):
    """Ana gave the three answers 0, 0 and 3."""
    _, three = rubric_versions.named(store, "doc-qa-0-3")
    _, five = rubric_versions.named(store, "doc-qa-1-5")
    judge(store, three, "three", {1: 0, 2: 1, 3: 3})
    judge(store, five, "five", {1: 3, 2: 1, 3: 5})
    found = compared(store, graded_sheet, "correctness")
    assert scales.deserved(1) == 0
    assert found["n"] == 3
    assert row(found, "three")["mae"].value == pytest.approx((0 + 1 + 0) / 9)
    assert row(found, "five")["mae"].value == pytest.approx((1 / 2 + 0 + 0) / 3)
    assert row(found, "five")["bias"].value == pytest.approx(1 / 6)
    assert row(found, "five")["further"].value == pytest.approx(1 / 6 - 1 / 9)
    assert row(found, "five")["further"].low is None


def test_the_difference_to_the_base_is_paired_and_has_an_interval(store, graded_sheet):
    scales.judged(store, graded_sheet, "zero", every=3)
    scales.judged(store, graded_sheet, "few", every=9)
    found = compared(store, graded_sheet, base="zero")
    few = row(found, "few")
    assert found["base"] == "zero"
    assert few["further"].value == pytest.approx((8 - 24) / 72 / 3)
    assert few["further"].high < 0
    assert row(found, "zero")["further"].value is None


def test_the_own_scale_has_figures_where_annotators_graded_on_it(store, graded_sheet):
    scales.judged(store, graded_sheet, "three", every=4)
    scales.judged(store, graded_sheet, "ten", "doc-qa-0-10", every=4)
    found = compared(store, graded_sheet)
    assert row(found, "three")["own"]["exact"].value == pytest.approx(0.75)
    assert row(found, "ten")["own"]["exact"].value is None


def test_holistic_judges_are_compared_on_the_composite(store, graded_sheet):
    scales.judged(store, graded_sheet, "three")
    scales.judged(store, graded_sheet, "whole", "holistic-1-10", kind="holistic", prompt="holistic")
    found = compared(store, graded_sheet)
    assert found["target"] == COMPOSITE
    assert found["n"] == scales.ANSWERS
    found = compared(store, graded_sheet, "correctness")
    assert found["not_compared"] == {"whole": "it does not grade correctness"}
    assert [row["variant"] for row in found["variants"]] == ["three"]


def test_annotators_are_beside_one_another_on_the_same_answers(store, graded_sheet):
    scales.judged(store, graded_sheet, "three", places=range(0, 30))
    ben = graders.ensure(store, "person", "Ben")
    apart = {place: 3 - scales.deserved(place) for place in range(40)}
    scales.grade(store, graded_sheet, ben, "doc-qa-0-3", apart)
    found = compared(store, graded_sheet)
    by_hand = sum(abs(3 - 2 * scales.deserved(place)) for place in range(30)) / 90
    assert found["ceiling"]["n"] == 30
    assert found["ceiling"]["mae"].value == pytest.approx(by_hand)


def constant_distance(score):
    return sum(abs(scales.deserved(p) - score) for p in range(scales.ANSWERS)) / 3 / 72


def test_the_majority_class_baseline_stands_beside_the_variants(store, graded_sheet):
    """Ana's scores are 0 to 3 on 10, 24, 23 and 15 answers."""
    scales.judged(store, graded_sheet, "good", every=9)
    found = compared(store, graded_sheet)
    always = found["majority_baseline"]
    assert always["score"] == 1
    assert always["mae"].value == pytest.approx(constant_distance(1))
    assert always["ccc"].value == 0
    assert always["own"]["exact"].value == pytest.approx(24 / 72)
    assert always["own"]["failure_recall"].value == 1
    skill = row(found, "good")["skill"]
    assert skill.value == pytest.approx(1 - (8 / 72 / 3) / constant_distance(1))
    assert 0 < skill.low < skill.value < skill.high <= 1
    assert found["headline"] == {"variant": "good", "withheld": []}


def flat_and_harsh(store, sheet):
    """One gives 2 five times in six, the other one score too little, but tells answers apart."""
    for name, score in (
        ("flat", lambda p: 2 if p % 6 else scales.deserved(p)),
        ("harsh", lambda p: max(0, scales.deserved(p) - 1)),
    ):
        judge_id = graders.ensure(store, "judge", name)
        scores = {place: score(place) for place in range(scales.ANSWERS)}
        scales.grade(store, sheet, judge_id, "doc-qa-0-3", scores)


def test_a_near_constant_judge_makes_no_headline(store, graded_sheet):
    flat_and_harsh(store, graded_sheet)
    found = compared(store, graded_sheet, "correctness", base="harsh")
    flat = row(found, "flat")
    assert flat["mae"].value < row(found, "harsh")["mae"].value
    withheld = {one["code"]: one for one in found["headline"]["withheld"]}
    assert set(withheld) == {"baseline_unsure", "ccc", "failure_recall"}
    assert withheld["ccc"]["against"] == "harsh"


def test_a_variant_no_nearer_than_the_baseline_makes_no_headline(store, graded_sheet):
    judge_id = graders.ensure(store, "judge", "always-one")
    scales.grade(
        store, graded_sheet, judge_id, "doc-qa-0-3", dict.fromkeys(range(scales.ANSWERS), 1)
    )
    found = compared(store, graded_sheet, "correctness")
    (reason,) = found["headline"]["withheld"]
    assert reason == {"code": "baseline", "against": "always 1"}
    assert document(found).headline == "No clear best variant on correctness"


def test_each_variant_has_the_paired_tests_against_the_base(store, graded_sheet):
    """Every third and every ninth of 72 answers wrong: three answers to each of 24 questions."""
    scales.judged(store, graded_sheet, "zero", every=3)
    scales.judged(store, graded_sheet, "few", every=9)
    found = compared(store, graded_sheet, base="zero")
    paired = row(found, "few")["paired"]
    assert row(found, "zero")["paired"] is None
    assert paired["difference"].value == pytest.approx((24 - 8) / 72)
    assert paired["test"].p_value == pytest.approx(2 / 2**16)
    assert paired["mcnemar"] is None


def test_variants_without_a_common_answer_have_no_figures_but_reasons(store, graded_sheet):
    scales.judged(store, graded_sheet, "three", places=range(0, 30))
    scales.judged(store, graded_sheet, "ten", "doc-qa-0-10", places=range(30, 72))
    found = compared(store, graded_sheet)
    assert found["n"] == 0
    for each in found["variants"]:
        assert each["mae"].value is None
        assert each["mae"].why_none
    json.dumps(as_json(found), allow_nan=False)


def compared_of_compare_continuous(store, draws=None):
    every = variants.read(store, sheets.all_sheets(store)[0])
    return report(every.every, every.annotators(), draws=draws or Draws(resamples=200))


def test_a_continuous_judge_takes_part_by_its_distance(store, continuous_variants):
    found = compared_of_compare_continuous(store)
    assert (found["n"], found["not_compared"]) == (36, {})
    own = row(found, "own")
    assert own["mae"].value == pytest.approx(0.25 / 3)
    assert own["bias"].value == pytest.approx(-0.25 / 3)
    assert own["own"]["exact"].value is None
    assert own["own"]["exact"].why_none.code == "continuous_grades"
    assert own["paired"]["metric"] == "distance"


def test_numbers_beyond_the_scale_are_left_out_with_the_reason(store, continuous_variants):
    judge(
        store,
        ONE,
        "percent",
        {n: 33.3 * score for n, score in enumerate(RANKED)},
    )
    found = compared_of_compare_continuous(store)
    assert found["n"] == 36
    why = "its continuous numbers for correctness lie beyond the scale"
    assert found["not_compared"] == {"percent": why}
    assert f"percent is not compared: {why}." in terminal.text(document(found))


def test_answering_models_are_ranked_by_the_mean_of_the_numbers(store, continuous_variants):
    judge(
        store,
        ONE,
        "percent",
        {n: 33.3 * score for n, score in enumerate(RANKED)},
    )
    found = ranking.report(panel(store, ONE), Draws(resamples=200))
    means = {(one["grader"], one["answer_model"]): one["value"] for one in found["models"]}
    assert means["own", "atlas"] == pytest.approx(2.75)
    assert means["percent", "atlas"] == pytest.approx(99.9)
    assert found["left_out"]["percent"] == {}


def test_a_composite_of_several_criteria_takes_only_numbers_on_the_scale(
    sheet, rubric, give, judge, panel
):
    for name in rubric[1].weights():
        give("Ana", dict(enumerate(RANKED)), name)
        judge("own", dict(enumerate(OWN_OF_RANKED)), criterion=name)
        far = {n: 33.3 * score for n, score in enumerate(RANKED)}
        judge("percent", far, criterion=name)
    found = ranking.report(panel(), Draws(resamples=200))
    means = {(one["grader"], one["answer_model"]): one["value"] for one in found["models"]}
    assert means["own", "atlas"] == pytest.approx(2.75)
    assert means["percent", "atlas"] is None
    assert found["left_out"]["percent"] == {
        "a continuous number, which is not a score of the scale": 36
    }


def asked(store, sheet, **said):
    return compare(store, sheet, **said)


def title(found):
    return document(found).headline


def figures(found):
    """The table of figures as it is shown: heads, and cells by figure."""
    heads, lines = written_cells.shown(document(found).tables[0])
    return heads[1:], {line[0]: line[1:] for line in lines}


def test_the_variant_to_compare_with_joins_those_named(store, graded_sheet):
    for name in ("a", "b", "c"):
        scales.judged(store, graded_sheet, name)
    found = asked(store, graded_sheet, judges=("b",), against="c")
    heads, lines = figures(found)
    assert (heads, found["base"]) == (["c (base)", "b", "majority-class baseline"], "c")
    assert len(lines) <= 6


def test_a_criterion_nobody_graded_is_a_problem_that_lists_what_there_is(store, graded_sheet):
    scales.judged(store, graded_sheet, "a")
    with pytest.raises(Problem, match="correctness, comprehensiveness, readability, composite"):
        asked(store, graded_sheet, target="style")
