"""The studies, each answered on sheets made for it."""

import json

import pytest

from concord.messages import Problem, for_screen
from concord.reports import terminal
from concord.reports.comparison import studies
from concord.reports.comparison.agreement_bars import INCONCLUSIVE, NO, YES, reached
from concord.reports.comparison.study import Request, document, study
from concord.reports.decision.cost import Cost
from concord.reports.document import as_json
from concord.reports.panel import variants
from concord.stats.core.estimate import Estimate
from concord.store import graders
from concord.store.rubrics import rubric_versions
from tests.support import scales
from tests.support.panels import judge


def text(found):
    return terminal.text(document(found))


def answered(store, sheet, name, *judges):
    found = studies.run(store, sheet, name, judges)
    json.dumps(as_json(found), allow_nan=False)
    return found


@pytest.mark.parametrize("name", studies.PLANS)
def test_a_study_without_what_it_needs_says_what_to_do(store, graded_sheet, name):
    found = answered(store, graded_sheet, name)
    assert not found.can_run
    assert found.answer.startswith("This cannot be answered yet: no judge has ")
    assert (found.missing and "judge NAME" in text(found)) or "judge gpt" in text(found)


def test_an_unknown_study_is_a_problem_that_lists_them(store, graded_sheet):
    with pytest.raises(Problem, match="agreement, examples, scales, transfer, reading"):
        studies.run(store, graded_sheet, "speed")


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        (0.81, 0.9, YES),
        (0.8, 0.9, YES),
        (0.6, 0.79, NO),
        (0.6, 0.8, INCONCLUSIVE),
        (None, None, INCONCLUSIVE),
    ],
)
def test_a_bar_is_reached_only_beyond_the_error(low, high, said):
    assert reached(Estimate(0.7, low, high), 0.8) == said


def test_agreement_names_where_the_bar_is_reached_and_where_not(store, graded_sheet):
    _, rubric = rubric_versions.named(store, "doc-qa-0-3")
    right = {place: scales.deserved(place) for place in range(scales.ANSWERS)}
    judge(store, rubric, "gpt", right)
    judge(store, rubric, "gpt", {p: 3 - s for p, s in right.items()}, criterion="readability")
    found = answered(store, graded_sheet, "agreement")
    assert found.answer == "gpt reaches 80% on 1 of 2 criteria, 0 inconclusive"
    assert "exact score on at least 80% of answers" in found.rests_on[0]
    assert found.missing[0].startswith("inter-annotator agreement.")


def test_an_undecided_bar_is_inconclusive_in_the_table_and_keeps_its_word_in_json(
    store, graded_sheet
):
    _, rubric = rubric_versions.named(store, "doc-qa-0-3")
    right = {place: scales.deserved(place) for place in range(scales.ANSWERS)}
    judge(store, rubric, "gpt", right | {p: 3 - right[p] for p in range(0, scales.ANSWERS, 6)})
    found = answered(store, graded_sheet, "agreement")
    assert found.rows[0][3] == "inconclusive"
    assert found.figures[0]["exact_reached"] == "cannot tell"


def test_examples_are_judged_by_the_judge_that_differs_in_nothing_else(store, graded_sheet):
    scales.judged(store, graded_sheet, "zero", every=3, temperature=0)
    scales.judged(store, graded_sheet, "warm", every=3, temperature=1, prompt="few_shot")
    found = answered(store, graded_sheet, "examples")
    assert not found.can_run
    scales.judged(store, graded_sheet, "few", every=9, temperature=0, prompt="few_shot")
    found = answered(store, graded_sheet, "examples")
    assert found.answer == "1 of 1 nearer to annotators, 0 further, 0 inconclusive"
    assert found.rests_on[0] == "Judges with and without examples."
    assert [row[:2] for row in found.rows] == [("few", "zero")]
    assert found.rows[0][3].startswith("-7.4 [")
    assert found.figures[0]["further"]["value"] == pytest.approx(-16 / 72 / 3)


def test_a_small_model_with_examples_stands_beside_a_large_one_without(store, graded_sheet):
    ids = {
        (model, prompt): scales.judged(
            store, graded_sheet, f"{model}-{prompt}", every=every, model=model, prompt=prompt
        )
        for every, (model, prompt) in enumerate(
            [
                ("small", "zero_shot"),
                ("large", "zero_shot"),
                ("small", "few_shot"),
                ("large", "few_shot"),
            ],
            3,
        )
    }
    prices = {i: Cost(1.0 if model == "small" else 20.0) for (model, _), i in ids.items()}
    here = variants.read(store, graded_sheet)
    every = list(here.every)
    asked = Request(here, here.annotators(), every, "each", False, lambda: prices, list, dict)
    told = study("examples", studies.PLANS["examples"], asked)
    assert told.rows[-1][:2] == ("small-few_shot", "large-zero_shot")
    assert told.rows[-1][-1] == "$1.00"
    assert not any(sentence.startswith("a second model") for sentence in told.missing)


def test_two_judges_from_a_file_are_compared_as_the_user_names_them(store, graded_sheet):
    scales.judged(store, graded_sheet, "a", every=3, model=None)
    scales.judged(store, graded_sheet, "b", every=9, model=None)
    found = answered(store, graded_sheet, "examples", "a", "b")
    assert found.rows[0][3].startswith("-7.4 [")
    assert found.rests_on[-1].endswith("decides which one has examples.")


def test_scales_are_compared_with_the_one_annotators_used(store, graded_sheet):
    scales.judged(store, graded_sheet, "ten", "doc-qa-0-10", every=3)
    scales.judged(store, graded_sheet, "two", "doc-qa-0-1", every=1000)
    scales.judged(store, graded_sheet, "three", every=3)
    found = answered(store, graded_sheet, "scales")
    assert found.answer == "1 of 2 nearer to annotators, 1 further, 0 inconclusive"
    assert found.rests_on[0] == "Scales of m compared with 0-3."
    assert [row[4] for row in found.rows] == ["base", "nearer", "further"]
    assert [row[1] for row in found.rows] == ["0-3", "0-10", "0-1"]
    assert found.missing[0].startswith("annotators' grades on 0-10, 0-1:")


def test_judges_of_two_models_on_one_scale_are_held_beside_each_other(store, graded_sheet):
    for model in ("m", "n"):
        for rubric, every in (("doc-qa-0-3", 1000), ("doc-qa-0-10", 4)):
            scales.judged(store, graded_sheet, f"{model}-{rubric}", rubric, every, model=model)
    found = answered(store, graded_sheet, "scales")
    same, ten = (one["others"]["value"] for one in found.figures)
    assert same == pytest.approx(1)
    assert 0.9 < ten < 1.0001


def test_what_was_found_on_one_sheet_is_held_beside_another(store, graded_sheet):
    other = scales.graded_sheet(store, "meetings", first=100)
    scales.judged(store, graded_sheet, "gpt", every=9)
    scales.judged(store, other, "gpt", every=2)
    scales.judged(store, other, "stranger", every=2)
    found = answered(store, graded_sheet, "transfer")
    assert found.answer == "0 of 1 nearer to annotators, 1 further, 0 inconclusive"
    assert found.rests_on[0] == "Judges on meetings compared with numbers."
    assert found.rests_on[1].startswith("Annotators rank the answering models in the same order")
    assert [row[0] for row in found.rows] == ["gpt"]


def test_another_order_of_the_answering_models_on_the_other_sheet_is_told(store, graded_sheet):
    other = scales.graded_sheet(store, "meetings", first=100)
    ana = graders.find(store, "person", "Ana").id
    turned = {place: 3 - scales.deserved(place) for place in range(scales.ANSWERS)}
    scales.grade(store, other, ana, "doc-qa-0-3", turned)
    for one in (graded_sheet, other):
        scales.judged(store, one, "gpt", every=9)
    found = answered(store, graded_sheet, "transfer")
    assert found.rests_on[1].startswith("Annotators rank the answering models in another order")


def test_a_study_on_the_command_line(sampled):
    said = sampled("compare", "--study", "agreement").stdout
    assert "Do judges give the scores that annotators give?" in said
    assert "Databricks (2023" in said
    found = json.loads(sampled("compare", "--study", "transfer", "--json").stdout)
    assert (found["name"], found["can_run"]) == ("transfer", False)


def test_what_to_run_for_a_study_is_a_place_on_screens_and_a_command_elsewhere():
    lacking = [one for plan in studies.PLANS.values() for one in plan.lacking]
    assert [one for one in lacking if "`judge " in one]
    assert not [one for one in lacking if "judge NAME" in for_screen(one) or "`" in for_screen(one)]
