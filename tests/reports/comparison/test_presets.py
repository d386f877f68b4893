"""The presets of a published study: what each picks, and that the comparison is of that."""

import json

import pytest

from concord.messages import Problem
from concord.reports.comparison.compare import ComparisonRequest, compare
from concord.reports.comparison.presets import PRESETS
from tests.support import scales


def picked(store, sheet, name):
    found = compare(store, sheet, ComparisonRequest(study=name))
    assert found.study.name == name
    return found, [row.variant for row in found.variants]


@pytest.mark.parametrize("name", PRESETS)
def test_where_nothing_can_be_compared_the_problem_says_what_to_run(store, graded_sheet, name):
    with pytest.raises(Problem, match=r"^No judge has .*`judge "):
        compare(store, graded_sheet, ComparisonRequest(study=name))


def test_an_unknown_study_is_a_problem_that_lists_them(store, graded_sheet):
    with pytest.raises(Problem, match="agreement, examples, scales, transfer"):
        compare(store, graded_sheet, ComparisonRequest(study="speed"))


def test_agreement_is_of_judges_on_the_annotators_scale(store, graded_sheet):
    scales.judged(store, graded_sheet, "three", every=3)
    scales.judged(store, graded_sheet, "ten", "doc-qa-0-10", every=3)
    found, names = picked(store, graded_sheet, "agreement")
    assert names == ["three"]
    assert found.variants[0].own.exact.value == pytest.approx(1 - 1 / 3, abs=0.05)


def test_examples_are_judged_by_the_judge_that_differs_in_nothing_else(store, graded_sheet):
    scales.judged(store, graded_sheet, "warm", every=3, temperature=1, prompt="few_shot")
    scales.judged(store, graded_sheet, "few", every=9, temperature=0, prompt="few_shot")
    scales.judged(store, graded_sheet, "zero", every=3, temperature=0)
    found, names = picked(store, graded_sheet, "examples")
    assert (names, found.base) == (["zero", "few"], "zero")
    assert found.of("few").further.value == pytest.approx(-16 / 72 / 3)


def test_scales_are_compared_with_the_one_annotators_used(store, graded_sheet):
    scales.judged(store, graded_sheet, "ten", "doc-qa-0-10", every=3)
    scales.judged(store, graded_sheet, "two", "doc-qa-0-1", every=1000)
    scales.judged(store, graded_sheet, "three", every=3)
    scales.judged(store, graded_sheet, "other", every=3, model="n")
    found, names = picked(store, graded_sheet, "scales")
    assert (names, found.base) == (["ten", "two", "three"], "three")


def test_transfer_is_of_judges_that_graded_another_sheet_by_the_same_rubric(store, graded_sheet):
    other = scales.graded_sheet(store, "meetings", first=100)
    scales.judged(store, graded_sheet, "gpt", every=9)
    scales.judged(store, graded_sheet, "here", every=9, model="n")
    scales.judged(store, other, "gpt", every=2)
    found, names = picked(store, graded_sheet, "transfer")
    assert names == ["gpt"] and "meetings" in found.study.note
    beside, _ = picked(store, other, "transfer")
    assert beside.variants[0].mae.value > found.variants[0].mae.value


@pytest.mark.parametrize("name", PRESETS)
def test_a_study_has_its_command(sampled, name):
    """The sample has judges on the annotators' scale alone."""
    code = 0 if name == "agreement" else 2
    said = sampled("compare", "--study", name, "--json", code=code)
    if not code:
        assert json.loads(said.stdout)["study"]["name"] == name
