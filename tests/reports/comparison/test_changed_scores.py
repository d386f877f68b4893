"""Answers that two variants score differently, and the diff of their prompts."""

import json

import pytest

from concord.judges.combined.run import run_combined
from concord.judges.definition.model import Judge
from concord.messages import Problem
from concord.reports.comparison import changed_scores
from concord.reports.comparison.changed_scores import IN, OUT, SAME, SKIPPED, diff
from concord.reports.comparison.compare import ComparisonRequest, compare
from concord.reports.comparison.presets import PRESETS
from concord.reports.panel import variants
from concord.store import items, runs
from concord.store.rubrics import rubric_versions
from tests.support import scales
from tests.support.panels import judge


def flips_of(store, sheet, first, second, target="correctness"):
    found = variants.read(store, sheet)
    (one,), (other,) = found.named([first]), found.named([second])
    return changed_scores.flips(one, other, found.annotators(), target)


def test_flips_come_worst_first_and_say_on_whose_side_annotators_are(store, graded_sheet):
    """Ana gave the answers 3 to 5 the scores 3, 2 and 1."""
    _, three = rubric_versions.named(store, "doc-qa-0-3")
    judge(store, three, "one", {3: 3, 4: 0, 5: 1, 6: 3})
    judge(store, three, "two", {3: 2, 4: 3, 5: 1, 7: 2})
    found = flips_of(store, graded_sheet, "one", "two")
    assert found.n == 3
    assert [(f.first, f.second, f.annotator, f.nearer) for f in found.flips] == [
        (0, 3, 2, "second"),
        (3, 2, 3, "first"),
    ]
    shown = changed_scores.document(found)
    assert shown.headline == "2 of 3 answers flip on correctness"
    assert shown.facts == ("From one to two.",)
    assert shown.tables[0].rows[:2] == (("one", 1), ("two", 1))


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
    assert bool(flips_of(store, graded_sheet, "one", "two").flips) is flips


def test_answers_no_person_graded_flip_too_and_come_last_among_equals(store):
    from concord.store import additions, graders
    from tests.support.made_items import made_item

    sheet = additions.add(store, "few", [made_item(n) for n in range(3)], "f.csv", "0" * 64, {})
    ana = graders.ensure(store, "person", "Ana")
    scales.grade(store, sheet, ana, "doc-qa-0-3", {1: 3})
    _, three = rubric_versions.named(store, "doc-qa-0-3")
    judge(store, three, "one", {0: 0, 1: 0})
    judge(store, three, "two", {0: 3, 1: 3})
    found = flips_of(store, sheet, "one", "two")
    assert [f.nearer for f in found.flips] == ["second", "ungraded"]
    (nearer,) = changed_scores.document(found).tables
    assert nearer.rows == (("one", 0), ("two", 1), ("neither", 0), ("not graded", 1))


def test_variants_that_agree_throughout_say_so(store, graded_sheet):
    scales.judged(store, graded_sheet, "one")
    scales.judged(store, graded_sheet, "two")
    assert changed_scores.document(flips_of(store, graded_sheet, "one", "two")).headline == (
        "None of 72 answers flips on correctness"
    )


def test_a_flip_stands_beside_both_variants_and_the_annotators(store, graded_sheet):
    scales.judged(store, graded_sheet, "three")
    scales.judged(store, graded_sheet, "ten", "doc-qa-0-10", every=2)
    found = flips_of(store, graded_sheet, "three", "ten")
    annotators = variants.read(store, graded_sheet).annotators()
    (one,) = changed_scores.both_answer_grades(store, found, annotators, [found.flips[0].item_id])
    assert {said.grader for said in one.judge} == {"three", "ten, 0-10"}
    assert [said.grader for said in one.annotators] == ["Ana"] * 3


def test_a_holistic_judge_has_no_flips_on_a_criterion(store, graded_sheet):
    scales.judged(store, graded_sheet, "three")
    scales.judged(store, graded_sheet, "whole", "holistic-1-10", kind="holistic", prompt="holistic")
    assert flips_of(store, graded_sheet, "three", "whole") is None
    assert flips_of(store, graded_sheet, "three", "whole", "composite").n == scales.ANSWERS


def test_a_combined_judge_has_no_prompt(store, graded_sheet):
    for name in ("one", "two"):
        scales.judged(store, graded_sheet, name)
    keys = {"name": "jury", "kind": "combined", "rubric": "doc-qa-0-3"}
    jury = Judge(**keys, rule="mean", members=("one", "two"))
    run_combined(store, graded_sheet, *rubric_versions.named(store, "doc-qa-0-3"), jury)
    (variant,) = variants.read(store, graded_sheet).named(["jury"])
    assert variant.prompt is None and variant.examples is None
    found = changed_scores.sent(store, variant, items.item_ids(store, graded_sheet.id)[4])
    assert found.why_none == changed_scores.COMBINED


def test_two_prompts_are_compared_as_they_are_sent(store, graded_sheet):
    scales.judged(store, graded_sheet, "zero", temperature=0)
    scales.judged(store, graded_sheet, "few", prompt="few_shot", temperature=1)
    scales.judged(store, graded_sheet, "ten", "doc-qa-0-10", temperature=0, calls="separate")
    found = variants.read(store, graded_sheet)
    item = items.item_ids(store, graded_sheet.id)[4]
    zero, few, ten = (
        changed_scores.sent(store, v, item) for v in found.named(["zero", "few", "ten"])
    )
    lines = changed_scores.prompt_diff(zero, few)
    assert {line.kind for line in lines} >= {IN, SAME, SKIPPED}
    assert any("# Examples" in line.text for line in lines if line.kind == IN)
    assert changed_scores.setting_diff(zero, few) == [("temperature", "0.0", "1.0")]
    assert ("calls per answer", "1", "3") in changed_scores.setting_diff(zero, ten)
    assert ("scores of correctness", "[0, 1, 2, 3]", str(list(range(11)))) in (
        changed_scores.setting_diff(zero, ten)
    )
    assert not zero.kept


def test_judges_whose_grades_came_from_a_file_have_no_prompt(store, graded_sheet):
    scales.judged(store, graded_sheet, "zero")
    scales.judged(store, graded_sheet, "gpt", model=None)
    zero, gpt = (
        changed_scores.sent(store, variant, items.item_ids(store, graded_sheet.id)[0])
        for variant in variants.read(store, graded_sheet).every
    )
    assert gpt.why_none == changed_scores.NOT_STORED
    assert changed_scores.prompt_diff(zero, gpt) == []


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        ("a\nb", "a\nb", []),
        ("", "a", [(IN, "a")]),
        ("a\nb\nc", "a\nx\nc", [(SAME, "a"), (OUT, "b"), (IN, "x"), (SAME, "c")]),
        (
            "\n".join("abcdefgh"),
            "\n".join("abcdefgX"),
            [(SKIPPED, "5"), (SAME, "f"), (SAME, "g"), (OUT, "h"), (IN, "X")],
        ),
    ],
)
def test_a_diff_line_by_line(first, second, said):
    assert [(line.kind, line.text) for line in diff(first, second)] == said


@pytest.mark.parametrize(
    ("first", "second", "changed"),
    [
        ("Grade the answer kindly.", "Grade the answer strictly.", ["kindly", "strictly"]),
        ("请严格评分", "请宽松评分", ["严格", "宽松"]),
    ],
)
def test_words_that_changed_are_marked_also_where_nothing_parts_them(first, second, changed):
    marked = [part for line in diff(first, second) for part, new in line.parts if new]
    assert marked == changed


def test_a_stored_request_is_shown_as_it_was_sent(store, graded_sheet):
    judge_id = scales.judged(store, graded_sheet, "zero")
    item = items.items(store, items.item_ids(store, graded_sheet.id)[:1])[0]
    body = {"model": "m-large", "messages": [{"role": "user", "content": "Grade this."}]}
    reply = runs.Reply(
        judge_id, item.id, item.content_hash, "", 1, 1, json.dumps(body), "{}", "scored"
    )
    runs.add_replies(store, None, [reply])
    (zero,) = variants.read(store, graded_sheet).every
    sent = changed_scores.sent(store, zero, item.id)
    assert sent.kept
    assert sent.text == "[user]\nGrade this."
    assert sent.settings == {
        "model": "m-large",
        "form of the reply": "text",
        "calls per answer": "1",
    }


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
