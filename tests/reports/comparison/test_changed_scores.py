"""Answers that two variants score differently, and the diff of their prompts."""

import pytest

from concord.messages import Problem
from concord.reports import comparison
from concord.reports.comparison import STUDIES, compare
from concord.reports.panel import variants
from concord.store import items
from concord.store.rubrics import rubric_versions
from tests.support import scales
from tests.support.panels import judge


def changed(store, sheet, *names, target="correctness"):
    return compare(store, sheet, names, target=target)["changed"]


def test_what_became_wrong_comes_first(store, graded_sheet):
    """Ana gave the answers 3 to 5 the scores 3, 2 and 1."""
    _, three = rubric_versions.named(store, "doc-qa-0-3")
    judge(store, three, "one", {3: 3, 4: 0, 5: 1, 6: 3})
    judge(store, three, "two", {3: 2, 4: 3, 5: 1, 7: 2})
    found = changed(store, graded_sheet, "one", "two")
    assert found["scored_by_both"] == 3
    keys = ("first", "second", "annotator", "change")
    assert [tuple(row[key] for key in keys) for row in found["answers_changed"]] == [
        (3, 2, 3, "became wrong"),
        (0, 3, 2, "neither"),
    ]
    assert found["changes"] == {"neither": 1, "became wrong": 1}
    assert (found["flips"], found["metric"], found["versions"]) == (2, "exact", 1)
    assert (found["from"], found["to"]) == ("one", "two")
    # Right on 3 and wrong on 4 and 5 before; wrong on all three after.
    assert found["difference"].value == pytest.approx(-1 / 3)


def test_a_gain_of_the_sixth_version_on_the_same_questions_is_no_proof(store, graded_sheet):
    for n in range(1, 7):
        scales.judged(store, graded_sheet, f"v{n}", edited_from=("v1",) if n > 1 else ())
    found = [changed(store, graded_sheet, *names) for names in (("v1", "v2"), ("v2", "v1"))]
    assert [(one["versions"], one["is_honest"]) for one in found] == [(6, False)] * 2


@pytest.mark.parametrize(
    ("ten", "flips"), [(3, False), (4, False), (5, True), (2, False), (1, True)]
)
def test_another_scale_flips_from_half_a_step_of_the_coarser_one_on(
    store, graded_sheet, ten, flips
):
    """1 on 0-3 is .33; half a step of 0-3 is .17."""
    _, three = rubric_versions.named(store, "doc-qa-0-3")
    _, finer = rubric_versions.named(store, "doc-qa-0-10")
    judge(store, three, "one", {0: 1})
    judge(store, finer, "two", {0: ten})
    assert bool(changed(store, graded_sheet, "one", "two")["flips"]) is flips


def test_a_holistic_judge_has_no_flips_on_a_criterion(store, graded_sheet):
    scales.judged(store, graded_sheet, "three")
    scales.judged(store, graded_sheet, "whole", "holistic-1-10", kind="holistic", prompt="holistic")
    found = compare(store, graded_sheet, ("three", "whole"), target="correctness")
    assert "changed" not in found
    found = changed(store, graded_sheet, "three", "whole", target="composite")
    assert found["scored_by_both"] == scales.ANSWERS


def test_two_prompts_are_compared_as_they_are_sent(store, graded_sheet):
    scales.judged(store, graded_sheet, "zero", temperature=0)
    scales.judged(store, graded_sheet, "few", prompt="few_shot", temperature=1)
    scales.judged(store, graded_sheet, "ten", "doc-qa-0-10", temperature=0, calls="separate")
    found = variants.read(store, graded_sheet)
    item = items.item_ids(store, graded_sheet.id)[4]
    zero, few, ten = (comparison.sent(store, v, item) for v in found.named(["zero", "few", "ten"]))
    lines = comparison.request_diff(zero, few).splitlines()
    assert any(line.startswith("+") and "# Examples" in line for line in lines)
    assert {'-  "temperature": 0.0', '+  "temperature": 1.0'} <= {*lines}
    assert '+  "calls per answer": 3,' in comparison.request_diff(zero, ten).splitlines()
    assert comparison.request_diff(zero, zero) == ""


def picked(store, sheet, name):
    found = compare(store, sheet, study=name)
    assert found["study"] == name
    return found, [row["variant"] for row in found["variants"]]


@pytest.mark.parametrize("name", STUDIES)
def test_where_nothing_can_be_compared_the_problem_says_what_to_run(store, graded_sheet, name):
    with pytest.raises(Problem, match="No judges fit the study"):
        compare(store, graded_sheet, study=name)


def test_examples_are_judged_by_the_judge_that_differs_in_nothing_else(store, graded_sheet):
    scales.judged(store, graded_sheet, "warm", every=3, temperature=1, prompt="few_shot")
    scales.judged(store, graded_sheet, "few", every=9, temperature=0, prompt="few_shot")
    scales.judged(store, graded_sheet, "zero", every=3, temperature=0)
    found, names = picked(store, graded_sheet, "examples")
    assert (names, found["base"]) == (["zero", "few"], "zero")
    assert found["variants"][1]["further"].value == pytest.approx(-16 / 72 / 3)


def test_scales_are_compared_with_the_one_annotators_used(store, graded_sheet):
    scales.judged(store, graded_sheet, "ten", "doc-qa-0-10", every=3)
    scales.judged(store, graded_sheet, "two", "doc-qa-0-1", every=1000)
    scales.judged(store, graded_sheet, "three", every=3)
    scales.judged(store, graded_sheet, "other", every=3, model="n")
    found, names = picked(store, graded_sheet, "scales")
    assert (names, found["base"]) == (["ten", "two", "three"], "three")


def test_transfer_is_of_judges_that_graded_another_sheet_by_the_same_rubric(store, graded_sheet):
    other = scales.graded_sheet(store, "meetings", first=100)
    scales.judged(store, graded_sheet, "gpt", every=9)
    scales.judged(store, graded_sheet, "here", every=9, model="n")
    scales.judged(store, other, "gpt", every=2)
    found, names = picked(store, graded_sheet, "transfer")
    assert names == ["gpt"]
    beside, _ = picked(store, other, "transfer")
    assert beside["variants"][0]["mae"].value > found["variants"][0]["mae"].value
