"""The comparison of variants on the same answers."""

import json

import pytest

from concord.reports.comparison import compare
from concord.reports.comparison.compare import NO_OWN_ANNOTATORS, NO_OWN_SCALE
from concord.reports.comparison.compare_document import document
from concord.reports.comparison.paired_variants import NOT_SHARED, HoldingBack
from concord.reports.decision.cost import Cost
from concord.reports.document import as_json
from concord.reports.panel import variants
from concord.reports.panel.panel import COMPOSITE
from concord.stats.reliability.retest import NOT_REPEATED
from concord.store import graders
from concord.store.rubrics import rubric_versions
from tests.support import scales
from tests.support.panels import give, judge


def compared(store, sheet, target=None, base=None, **more):
    found = variants.read(store, sheet)
    base = base and found.named([base])[0]
    return compare.report(found.every, found.annotators(), target, base, **more)


def row(found, label):
    return found.of(label)


def test_variants_are_compared_on_the_answers_all_of_them_scored(store, graded_sheet):
    scales.judged(store, graded_sheet, "three", places=range(0, 60))
    scales.judged(store, graded_sheet, "ten", "doc-qa-0-10", places=range(30, 72))
    found = compared(store, graded_sheet)
    assert found.n == 30
    assert found.questions == 10
    assert found.left_out == {NOT_SHARED: 42}
    assert found.holding_back == (
        HoldingBack("ten", 60),
        HoldingBack("three", 42),
    )
    assert [row.graded for row in found.variants] == [60, 42]


def test_a_distance_on_zero_to_one_by_hand(store, graded_sheet):
    """Ana gave the three answers 0, 0 and 3."""
    _, three = rubric_versions.named(store, "doc-qa-0-3")
    _, five = rubric_versions.named(store, "doc-qa-1-5")
    judge(store, three, "three", {1: 0, 2: 1, 3: 3})
    judge(store, five, "five", {1: 3, 2: 1, 3: 5})
    found = compared(store, graded_sheet, "correctness")
    assert scales.deserved(1) == 0
    assert found.n == 3
    assert row(found, "three").mae.value == pytest.approx((0 + 1 + 0) / 9)
    assert row(found, "five").mae.value == pytest.approx((1 / 2 + 0 + 0) / 3)
    assert row(found, "five").bias.value == pytest.approx(1 / 6)
    assert row(found, "five").further.value == pytest.approx(1 / 6 - 1 / 9)
    assert row(found, "five").further.low is None


def test_the_difference_to_the_base_is_paired_and_has_an_interval(store, graded_sheet):
    scales.judged(store, graded_sheet, "zero", every=3)
    scales.judged(store, graded_sheet, "few", every=9)
    found = compared(store, graded_sheet, base="zero")
    few = row(found, "few")
    assert found.base == "zero"
    assert few.further.value == pytest.approx((8 - 24) / 72 / 3)
    assert few.further.high < 0
    assert row(found, "zero").further.value is None


def test_the_own_scale_has_figures_where_annotators_graded_on_it(store, graded_sheet):
    scales.judged(store, graded_sheet, "three", every=4)
    scales.judged(store, graded_sheet, "ten", "doc-qa-0-10", every=4)
    found = compared(store, graded_sheet)
    assert row(found, "three").own.exact.value == pytest.approx(0.75)
    assert row(found, "ten").own.why_none == NO_OWN_ANNOTATORS
    _, ten = rubric_versions.named(store, "doc-qa-0-10")
    give(store, ten, "Ben", {0: 3, 1: 9})
    own = row(compared(store, graded_sheet), "ten").own
    assert (own.n, own.exact.value) == (2, 0.5)


def test_a_composite_has_no_figures_on_the_own_scale(store, graded_sheet):
    scales.judged(store, graded_sheet, "three")
    assert row(compared(store, graded_sheet, COMPOSITE), "three").own.why_none == NO_OWN_SCALE


def test_holistic_judges_are_compared_on_the_composite(store, graded_sheet):
    scales.judged(store, graded_sheet, "three")
    scales.judged(store, graded_sheet, "whole", "holistic-1-10", kind="holistic", prompt="holistic")
    found = compared(store, graded_sheet)
    assert found.target == COMPOSITE
    assert found.n == scales.ANSWERS
    found = compared(store, graded_sheet, "correctness")
    assert found.not_compared == {"whole": "it does not grade correctness"}
    assert [row.variant for row in found.variants] == ["three"]


def test_the_order_of_the_answering_models_is_that_on_the_shared_answers(store, graded_sheet):
    scales.judged(store, graded_sheet, "three")
    _, ten = rubric_versions.named(store, "doc-qa-0-10")
    upside_down = {place: 3 * (place % 3) for place in range(scales.ANSWERS)}
    judge(store, ten, "ten", upside_down)
    found = compared(store, graded_sheet, "correctness")
    assert row(found, "three").order.swaps == ()
    assert len(row(found, "ten").order.swaps) == 3
    assert all(swap.certain for swap in row(found, "ten").order.swaps)


def test_how_much_of_its_scale_a_variant_uses_is_counted(store, graded_sheet):
    _, ten = rubric_versions.named(store, "doc-qa-0-10")
    judge(store, ten, "ten", {place: 8 if place % 3 else 5 for place in range(72)})
    spread = row(compared(store, graded_sheet, "correctness"), "ten").spread
    assert (spread.used, spread.of, spread.commonest) == (2, 11, 8)
    assert spread.share == pytest.approx(2 / 3)


def test_answers_without_a_score_are_a_share_with_its_reasons(store, graded_sheet):
    _, three = rubric_versions.named(store, "doc-qa-0-3")
    judge_id = judge(store, three, "three", dict.fromkeys(range(60), 2))
    said = dict.fromkeys(range(60, 66), "unparsable") | {66: "refused"}
    scales.grade(store, graded_sheet, judge_id, "doc-qa-0-3", said)
    lost = row(compared(store, graded_sheet, "correctness"), "three").no_score
    assert (lost.asked, lost.why) == (67, {"unparsable": 6, "refused": 1})
    assert lost.estimate.value == pytest.approx(7 / 67)
    assert lost.estimate.low < 7 / 67 < lost.estimate.high


def test_annotators_are_beside_one_another_on_the_same_answers(store, graded_sheet):
    scales.judged(store, graded_sheet, "three", places=range(0, 30))
    ben = graders.ensure(store, "person", "Ben")
    apart = {place: 3 - scales.deserved(place) for place in range(40)}
    scales.grade(store, graded_sheet, ben, "doc-qa-0-3", apart)
    found = compared(store, graded_sheet)
    by_hand = sum(abs(3 - 2 * scales.deserved(place)) for place in range(30)) / 90
    assert found.ceiling.n == 30
    assert found.ceiling.mae.value == pytest.approx(by_hand)


def test_repeats_say_how_steady_a_judge_is(store, graded_sheet):
    """Off on every sixth answer, and on the next ones the second time: twelve and twelve of 72."""
    scales.judged(store, graded_sheet, "three", every=6, repeats=2)
    scales.judged(store, graded_sheet, "once")
    found = compared(store, graded_sheet)
    steady = row(found, "three").test_retest
    assert (steady.scores, steady.repeats) == (72, 2)
    assert steady.exact.value == pytest.approx(48 / 72)
    assert row(found, "once").test_retest.exact.why_none == NOT_REPEATED
    composite = row(compared(store, graded_sheet, COMPOSITE), "three").test_retest
    assert composite.scores == 3 * 72
    assert composite.exact.value == pytest.approx(48 / 72)


def test_the_cost_stands_beside_the_figures_where_it_is_known(store, graded_sheet):
    one = scales.judged(store, graded_sheet, "one")
    scales.judged(store, graded_sheet, "two")
    found = compared(store, graded_sheet, costs={one: Cost(1.25, seconds=0.5)})
    assert row(found, "one").cost.per_1000 == 1.25
    assert row(found, "two").cost.per_1000 is None
    assert row(found, "two").cost.why_none


def test_the_limits_of_several_differences_hold_together(store, graded_sheet):
    for every, name in enumerate(("a", "b", "c", "d"), 3):
        scales.judged(store, graded_sheet, name, every=every)
    found = compared(store, graded_sheet)
    assert found.compared == 3
    assert "simultaneous over 3 figures" in row(found, "b").further.method


def constant_distance(score):
    return sum(abs(scales.deserved(p) - score) for p in range(scales.ANSWERS)) / 3 / 72


def test_the_majority_class_baseline_stands_beside_the_variants(store, graded_sheet):
    """Ana's scores are 0 to 3 on 10, 24, 23 and 15 answers."""
    scales.judged(store, graded_sheet, "good", every=9)
    found = compared(store, graded_sheet)
    always = found.majority_baseline
    assert always.score == 1
    assert always.mae.value == pytest.approx(constant_distance(1))
    assert always.ccc.value == 0
    assert always.own.exact.value == pytest.approx(24 / 72)
    assert always.own.failure_recall.value == 1
    skill = row(found, "good").skill
    assert skill.value == pytest.approx(1 - (8 / 72 / 3) / constant_distance(1))
    assert 0 < skill.low < skill.value < skill.high <= 1
    assert found.headline == compare.Headline("good", ())


def test_of_a_composite_the_baseline_is_what_the_commonest_grades_make(store, graded_sheet):
    scales.judged(store, graded_sheet, "good", every=9)
    found = compared(store, graded_sheet, COMPOSITE)
    assert found.majority_baseline.score == 1
    assert found.majority_baseline.own is None


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
    assert flat.mae.value < row(found, "harsh").mae.value
    assert flat.ccc_difference.high < 0 and flat.failure_recall_difference.high < 0
    assert flat.failure_recall_difference.value == pytest.approx(1 / 34 - 1)
    withheld = {one.code: one for one in found.headline.withheld}
    assert set(withheld) == {"baseline_unsure", "ccc", "failure_recall"}
    assert withheld["ccc"].against == "harsh"
    shown = document(found)
    assert shown.headline == "No clear best variant on correctness"
    assert shown.facts[0].startswith("flat has the smallest mean distance from annotators: ")
    assert "Caveat: harsh has a higher CCC (0.62, compared with 0.17)." in shown.facts


def test_a_variant_no_nearer_than_the_baseline_makes_no_headline(store, graded_sheet):
    judge_id = graders.ensure(store, "judge", "always-one")
    scales.grade(
        store, graded_sheet, judge_id, "doc-qa-0-3", dict.fromkeys(range(scales.ANSWERS), 1)
    )
    found = compared(store, graded_sheet, "correctness")
    (reason,) = found.headline.withheld
    assert reason.code == "baseline" and reason.difference.value == 0
    shown = document(found)
    assert shown.headline == "No clear best variant on correctness"
    assert shown.facts[:2] == (
        "Mean distance of always-one from annotators: 29% [27, 32] of the scale.",
        "Caveat: the majority-class baseline (always 1) is 29.2% of the scale away.",
    )


def test_each_variant_has_the_paired_tests_against_the_base(store, graded_sheet):
    """Every third and every ninth of 72 answers wrong: three answers to each of 24 questions."""
    scales.judged(store, graded_sheet, "zero", every=3)
    scales.judged(store, graded_sheet, "few", every=9)
    found = compared(store, graded_sheet, base="zero")
    paired = row(found, "few").paired
    assert row(found, "zero").paired is None
    assert (paired.first, paired.second) == ("few", "zero")
    assert paired.difference.value == pytest.approx((24 - 8) / 72)
    assert paired.test.p_value == pytest.approx(2 / 2**16)
    assert paired.mcnemar is None
    (tested,) = document(found).tables[1].rows
    assert tested == ("few", "exact agreement", 72, paired.difference, paired.test.p_value)


def test_the_signature_says_how_it_was_made(store, graded_sheet):
    scales.judged(store, graded_sheet, "one")
    said = compared(store, graded_sheet).signature
    assert said.startswith("variants: one@one by doc-qa-0-3 | base: one | target: correctness")
    assert "annotators: Ana" in said and "2000 resamples" in said


def test_variants_without_a_common_answer_have_no_figures_but_reasons(store, graded_sheet):
    scales.judged(store, graded_sheet, "three", places=range(0, 30))
    scales.judged(store, graded_sheet, "ten", "doc-qa-0-10", places=range(30, 72))
    found = compared(store, graded_sheet)
    assert found.n == 0
    for each in found.variants:
        assert each.mae.value is None
        assert each.mae.why_none
    json.dumps(as_json(found), allow_nan=False)


def test_the_report_on_the_sample_is_a_json_document(sample_store):
    from concord.store import sheets

    (sheet,) = sheets.all_sheets(sample_store)
    found = compared(sample_store, sheet)
    json.dumps(as_json(found), allow_nan=False)
    assert found.n == 192
    assert [row.floor for row in found.variants] == [False, False, False, True]
