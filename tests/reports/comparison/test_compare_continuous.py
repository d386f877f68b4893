"""Judges with continuous grades beside others: distances and orders hold, exact scores do not."""

import json
from dataclasses import replace

import pytest

from concord.messages import Problem
from concord.model import BASELINE
from concord.reports import cells as written_cells
from concord.reports import terminal
from concord.reports.cascade.cascade import choose_source
from concord.reports.cells import percent
from concord.reports.comparison import compare, compare_document
from concord.reports.comparison.compare import UNPRICED, ComparisonRequest
from concord.reports.comparison.compare import compare as compare_compare
from concord.reports.comparison.compare_document import advice, document, models_order
from concord.reports.comparison.constant_baseline import recall_difference
from concord.reports.comparison.paired_variants import scores_used, side_by_side
from concord.reports.panel import variants
from concord.reports.ranking import ranking
from concord.stats.baselines import Spread
from concord.stats.core.estimate import Estimate
from concord.stats.intervals.resampling import Draws
from concord.store import sheets
from concord.store.rubrics import rubric_versions
from concord.ui.charts import intervals, shares
from tests.support import scales
from tests.support.panels import give, judge, panel
from tests.support.reports.continuous_grades import (
    ONE,
    OWN_OF_RANKED,
    RANKED,
)


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
    judge(
        store,
        ONE,
        "percent",
        {n: 33.3 * score for n, score in enumerate(RANKED)},
    )
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
    give(store, ONE, "Ana", dict(enumerate(RANKED)))
    judge(store, ONE, "own", dict(enumerate(OWN_OF_RANKED)))
    assert [one.name for one in document(compared(store)).charts] == ["distance"]


def test_alone_it_says_why_nothing_is_compared(store, sheet):
    rubric_versions.register(store, ONE, "file")
    give(store, ONE, "Ana", dict(enumerate(RANKED)))
    judge(
        store,
        ONE,
        "percent",
        {n: 33.3 * score for n, score in enumerate(RANKED)},
    )
    text = terminal.text(document(compared(store)))
    assert text.startswith("No judge can be compared on correctness")
    assert "percent is not compared" in text


def test_numbers_of_0_to_1_are_warned_of(store, continuous_variants):
    judge(store, ONE, "prob", {n: score / 3 for n, score in enumerate(RANKED)})
    assert "If they are on a range of 0 to 1" in compared(store).of("prob").note


def test_the_paired_test_is_of_distances(store, continuous_variants):
    every = variants.read(store, sheets.all_sheets(store)[0])
    own, whole = every.named(["own", "whole"])
    found = compare.tested(own, whole, every.annotators(), "correctness")
    assert (found.metric, found.n) == ("distance", 36)


def test_answering_models_are_ranked_by_the_mean_of_the_numbers(store, continuous_variants):
    judge(
        store,
        ONE,
        "percent",
        {n: 33.3 * score for n, score in enumerate(RANKED)},
    )
    found = ranking.report(panel(store, ONE), Draws(resamples=200))
    means = {(one.grader, one.answer_model): one.estimate.value for one in found.models}
    assert means["own", "atlas"] == pytest.approx(2.75)
    assert means["percent", "atlas"] == pytest.approx(99.9)
    assert found.left_out["percent"] == {}
    assert all(order.comparable and not order.swaps for order in found.orders)


def test_a_composite_of_several_criteria_takes_only_numbers_on_the_scale(store, sheet, rubric):
    for name in rubric[1].weights():
        give(store, rubric[1], "Ana", dict(enumerate(RANKED)), name)
        judge(store, rubric[1], "own", dict(enumerate(OWN_OF_RANKED)), criterion=name)
        far = {n: 33.3 * score for n, score in enumerate(RANKED)}
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


def asked(store, sheet, **said):
    return compare_compare(store, sheet, ComparisonRequest(**said))


def title(found):
    return document(found).headline


def facts(found):
    return " ".join(document(found).facts)


def figures(found):
    """The table of figures as it is shown: heads, and cells by figure."""
    heads, lines = written_cells.shown(document(found).tables[0])
    return heads[1:], {line[0]: line[1:] for line in lines}


def cells(found, figure):
    return figures(found)[1][figure]


def test_a_nearer_variant_is_the_title(store, graded_sheet):
    scales.judged(store, graded_sheet, "zero", every=3)
    scales.judged(store, graded_sheet, "few", every=9, prompt="few_shot")
    found = asked(store, graded_sheet)
    assert title(found) == "few is nearer to annotators on correctness than zero"
    assert facts(found).startswith("Mean distance of few from annotators: 4%")
    assert "Mean distance of zero from annotators: 1" in facts(found)
    assert "2 variants on the same 72 answers to 24 questions" in facts(found)
    assert "95% CIs are in brackets" in facts(found)
    without = [row.mae._replace(low=None, high=None) for row in found.variants]
    rows = (replace(row, mae=mae) for row, mae in zip(found.variants, without, strict=True))
    assert "in brackets" not in facts(replace(found, variants=tuple(rows)))
    assert figures(found)[0][0] == "zero (base)"
    assert cells(found, "distance minus that of the base, points")[1].startswith("-7.4 [")
    assert cells(found, "prompt") == ["zero-shot", "few-shot", "—"]
    assert cells(found, "examples") == ["none", "the rubric's own", "—"]
    assert figures(found)[0][2] == "majority-class baseline (always 1)"
    assert cells(found, "distance from annotators")[2].startswith("29% [")
    assert cells(found, "skill over the majority-class baseline")[1].startswith("0.87 [")


def test_a_difference_within_the_error_is_called_so(store, graded_sheet):
    scales.judged(store, graded_sheet, "zero", every=7)
    scales.judged(store, graded_sheet, "few", every=8)
    found = asked(store, graded_sheet)
    assert title(found) == "Cannot tell yet which variant is nearest to annotators on correctness"
    assert facts(found).startswith("few has the smallest mean distance from annotators: ")


def test_a_base_that_all_others_trail_is_the_title(store, graded_sheet):
    scales.judged(store, graded_sheet, "good", every=30)
    for name in ("bad", "worse"):
        scales.judged(store, graded_sheet, name, every=2)
    found = asked(store, graded_sheet)
    assert title(found) == "good is nearest to annotators on correctness"
    assert "Mean distance of good from annotators: " in facts(found)


def test_a_lone_variant_says_that_there_is_no_other(store, graded_sheet):
    scales.judged(store, graded_sheet, "zero", every=3)
    found = asked(store, graded_sheet)
    assert title(found).endswith(" is the only variant on correctness")
    assert len(list(advice(found))) == 3


def test_a_variant_compared_with_the_baseline_alone_says_so(store, graded_sheet):
    scales.judged(store, graded_sheet, "zero", every=3)
    scales.judged(store, graded_sheet, BASELINE, every=2)
    found = asked(store, graded_sheet)
    assert title(found) == "zero is the only variant on correctness besides the baseline"
    assert "2 variants on the same 72 answers" in facts(found)


def test_variants_that_share_no_answer_are_not_said_to_be_compared_on_some(store, graded_sheet):
    scales.judged(store, graded_sheet, "zero", places=range(10))
    scales.judged(store, graded_sheet, "one", places=range(30, 40))
    found = asked(store, graded_sheet)
    assert "on the same" not in facts(found)
    shown = terminal.text(document(found))
    assert "Exact agreement, QWK and recall of zero, one: there is nothing to compare." in shown


def test_what_is_missing_is_told_with_how_to_get_it(store, graded_sheet):
    scales.judged(store, graded_sheet, "zero", repeats=2)
    scales.judged(store, graded_sheet, "few", "doc-qa-0-10", prompt="few_shot")
    assert list(advice(asked(store, graded_sheet))) == []
    scales.judged(store, graded_sheet, "gpt", model=None)
    assert list(advice(asked(store, graded_sheet))) == [
        "The prompts of gpt are not stored: their grades came from a file."
    ]


def test_without_a_judge_the_title_says_so(store, graded_sheet):
    found = asked(store, graded_sheet)
    assert document(found).headline.startswith("No judge has graded this sheet yet")
    assert document(found).facts == document(found).tables == ()


def test_left_out_answers_and_who_holds_the_others_back_are_said(store, graded_sheet):
    scales.judged(store, graded_sheet, "zero")
    scales.judged(store, graded_sheet, "short", places=range(12))
    found = asked(store, graded_sheet)
    detail = facts(found)
    (excluded,) = [one for one in document(found).tables if one.name == "excluded"]
    assert excluded.rows == (("not scored by every variant compared", 60),)
    why = excluded.columns[0].title
    assert (why, why.template) == ("reason", "excluded because")
    assert "Without short, 72 answers could be compared." in detail


def test_a_missing_price_and_a_missing_time_have_reasons_of_their_own(store, graded_sheet):
    scales.judged(store, graded_sheet, "a")
    found = asked(store, graded_sheet)
    rows = tuple(replace(row, cost=UNPRICED) for row in found.variants)
    notes = " ".join(document(replace(found, variants=rows)).notes)
    assert "Cost of a: no price is known." in notes
    assert "Time of a: no response time is known." in notes


def test_what_is_undefined_has_its_reason_below_the_table(store, graded_sheet):
    for name, rubric in (("a", "doc-qa-0-3"), ("b", "doc-qa-0-10"), ("c", "doc-qa-0-1")):
        scales.judged(store, graded_sheet, name, rubric)
    found = document(asked(store, graded_sheet))
    assert found.notes[0].startswith("Cost of a, b, c: the grades came from a file")
    own = (
        "Exact agreement, QWK and recall of b, c: no annotator graded these answers on this scale."
    )
    assert own in found.notes and own in terminal.text(found)


def test_no_name_on_the_chart_is_crossed_by_the_line_of_annotators_or_its_band(store, graded_sheet):
    scales.judged(store, graded_sheet, "zero", every=3)
    scales.judged(store, graded_sheet, "few", every=9, prompt="few_shot")
    found = asked(store, graded_sheet)
    found = replace(found, ceiling=replace(found.ceiling, mae=Estimate(0.07, 0.05, 0.09)))
    chart = intervals.draw(compare_document.distance(found))
    names = [note.y for note in chart.layout.annotations if "·" in note.text]
    marks = [shape for shape in chart.layout.shapes if shape.x0 == shape.x1]
    assert sorted(names) == [0, 1, 2] and len(marks) == 3
    for shape in chart.layout.shapes:  # a name stands from 0.14 to 0.48 above the middle of its row
        assert not any(shape.y0 < name + 0.48 and name + 0.14 < shape.y1 for name in names)


def test_the_share_of_every_score_is_said_on_a_short_scale_and_of_the_commonest_on_a_long_one(
    store, graded_sheet
):
    scales.judged(store, graded_sheet, "three")
    found = asked(store, graded_sheet)
    [spread] = [row.spread for row in found.variants]
    said = shares_said(shares.draw(compare_document.scores(found)), 0)
    used = [count for count in spread.counts if count]
    assert said == [f"{percent(count / sum(used))}%" for count in used] and len(said) > 1

    counts = (1, 0, 0, 0, 0, 0, 0, 0, 1, 2, 4)
    long = replace(found.variants[0], scale=range(11), spread=spread._replace(counts=counts))
    found = replace(found, variants=(long, *found.variants[1:]))
    assert shares_said(shares.draw(compare_document.scores(found)), 0) == ["50%"]


def shares_said(chart, place):
    """The shares on the chart in one row of it, from the lowest score up."""
    notes = [one for one in chart.layout.annotations if one.y == place - 0.12]
    return [one.text for one in sorted(notes, key=lambda one: one.x)]


def test_where_scales_differ_the_distance_is_not_read_alone(store, graded_sheet):
    scales.judged(store, graded_sheet, "three")
    assert "coarser" not in facts(asked(store, graded_sheet))
    scales.judged(store, graded_sheet, "two", "doc-qa-0-1")
    assert "Annotators graded on 0-3. On a coarser scale the distance cannot" in facts(
        asked(store, graded_sheet)
    )


def test_the_variant_to_compare_with_joins_those_named(store, graded_sheet):
    for name in ("a", "b", "c"):
        scales.judged(store, graded_sheet, name)
    found = asked(store, graded_sheet, judges=("b",), against="c")
    baseline = "majority-class baseline (always 1)"
    assert (figures(found)[0], found.base) == (["c (base)", "b", baseline], "c")


def test_a_criterion_nobody_graded_is_a_problem_that_lists_what_there_is(store, graded_sheet):
    scales.judged(store, graded_sheet, "a")
    with pytest.raises(Problem, match="correctness, comprehensiveness, readability, composite"):
        asked(store, graded_sheet, target="style")


@pytest.mark.parametrize(
    ("spread", "said"),
    [
        (Spread((), 3, 2, 0.5, 2.04, 11), "3 of 11 (effectively 2.0)"),
        (Spread((), 0, None, None, None, 4), None),
    ],
)
def test_how_much_of_a_scale_is_used_in_words(spread, said):
    assert scores_used(spread) == said


def test_compare_on_the_command_line(sampled):
    said = sampled("compare").stdout
    assert said.startswith("No clear best variant on correctness\n")
    assert "has the smallest mean distance from annotators: 9% [7, 11] of the scale." in said
    assert "$21.50" in said and "simulated, not measured" in said
    found = json.loads(sampled("compare", "--json", "--criterion", "composite").stdout)
    assert found["target"] == "composite"
    assert [row["variant"] for row in found["variants"]][-1] == "baseline"


def test_compare_of_a_name_nobody_has_says_who_there_is(sampled):
    assert (
        "No judge “nobody” has graded “sample”"
        in sampled("compare", "--judge", "nobody", code=2).stderr
    )


def test_the_sample_has_its_advice(sample_store):
    (sheet,) = sheets.all_sheets(sample_store)
    assert len(list(advice(compare_compare(sample_store, sheet, ComparisonRequest())))) == 4
