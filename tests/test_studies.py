"""The four questions, each answered on sheets made for it."""

import json

import pytest

import scales
from data import graders, rubric_versions
from panels import judge
from problems import Problem
from reports import studies, study_examples, variants
from reports.cost import Cost
from reports.study_agreement import NO, UNSURE, YES, reached


@pytest.fixture
def sheet(store):
    return scales.graded_sheet(store)


def answered(store, sheet, name, *judges):
    found = studies.run(store, sheet, name, judges)
    json.dumps(found.as_json(), allow_nan=False)
    return found


@pytest.mark.parametrize("name", studies.QUESTIONS)
def test_a_study_without_what_it_needs_says_what_to_do(store, sheet, name):
    found = answered(store, sheet, name)
    assert not found.can_run
    assert found.answer.startswith("This cannot be answered yet: no judge has graded")
    assert (found.missing and "judge NAME" in found.text()) or "judge gpt" in found.text()


def test_an_unknown_study_is_a_problem_that_lists_them(store, sheet):
    with pytest.raises(Problem, match="agreement, examples, scales, transfer"):
        studies.run(store, sheet, "speed")


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [(0.81, 0.9, YES), (0.8, 0.9, YES), (0.6, 0.79, NO), (0.6, 0.8, UNSURE), (None, None, UNSURE)],
)
def test_a_bar_is_reached_only_beyond_the_error(low, high, said):
    assert reached({"low": low, "high": high}, 0.8) == said


def test_agreement_names_where_the_bar_is_reached_and_where_not(store, sheet):
    _, rubric = rubric_versions.named(store, "doc-qa-0-3")
    right = {place: scales.deserved(place) for place in range(scales.ANSWERS)}
    judge(store, rubric, "gpt", right)
    judge(store, rubric, "gpt", {p: 3 - s for p, s in right.items()}, criterion="readability")
    found = answered(store, sheet, "agreement")
    assert found.answer == (
        "How often gpt gives a person's exact score: at least 80% for correctness "
        "(100% [85, 100]); fewer than 80% for readability (0% [0, 15])."
    )
    assert found.missing[0].startswith("how well people agree with one another")


def test_examples_are_judged_by_the_judge_that_differs_in_nothing_else(store, sheet):
    scales.judged(store, sheet, "zero", every=3, temperature=0)
    scales.judged(store, sheet, "warm", every=3, temperature=1, prompt="few_shot")
    found = answered(store, sheet, "examples")
    assert not found.can_run
    scales.judged(store, sheet, "few", every=9, temperature=0, prompt="few_shot")
    found = answered(store, sheet, "examples")
    assert found.answer.startswith("With examples m is nearer to people by 7.4 [")
    assert [row[0] for row in found.rows] == ["zero", "few"]
    assert found.figures[0]["further"]["value"] == pytest.approx(-16 / 72 / 3)


def test_a_small_model_with_examples_stands_beside_a_large_one_without(store, sheet):
    ids = {
        (model, prompt): scales.judged(
            store, sheet, f"{model}-{prompt}", every=every, model=model, prompt=prompt
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
    found = variants.read(store, sheet)
    told = study_examples.study(list(found.every), found.people(), costs=prices)
    assert "small-few_shot, with examples, beside large-zero_shot, without: " in told.answer
    assert told.answer.endswith("at $1.00 instead of $20.00 per 1,000 answers.")
    assert not any(sentence.startswith("a second model") for sentence in told.missing)


def test_two_judges_from_a_file_are_compared_as_the_user_names_them(store, sheet):
    scales.judged(store, sheet, "a", every=3, model=None)
    scales.judged(store, sheet, "b", every=9, model=None)
    found = answered(store, sheet, "examples", "a", "b")
    assert found.answer.startswith("With examples b (against a) is nearer to people by 7.4")
    assert found.rests_on.endswith("is as you named them.")


def test_scales_are_compared_with_the_one_people_used(store, sheet):
    scales.judged(store, sheet, "ten", "doc-qa-0-10", every=3)
    scales.judged(store, sheet, "two", "doc-qa-0-1", every=1000)
    scales.judged(store, sheet, "three", every=3)
    found = answered(store, sheet, "scales")
    assert found.answer.startswith("m puts the answering models ")
    assert "nearer to people on 0-10 than on 0-3 and further from people on 0-1" in found.answer
    assert [row[1] for row in found.rows] == ["0-3", "0-10", "0-1"]
    assert found.missing[0].startswith("people's grades on 0-10 and 0-1.")


def test_judges_of_two_models_on_one_scale_are_held_beside_each_other(store, sheet):
    for model in ("m", "n"):
        for rubric, every in (("doc-qa-0-3", 1000), ("doc-qa-0-10", 4)):
            scales.judged(store, sheet, f"{model}-{rubric}", rubric, every, model=model)
    found = answered(store, sheet, "scales")
    same, ten = (one["others"]["value"] for one in found.figures)
    assert same == pytest.approx(1)
    assert 0.9 < ten < 1.0001


def test_what_was_found_on_one_sheet_is_held_beside_another(store, sheet):
    other = scales.graded_sheet(store, "meetings", first=100)
    scales.judged(store, sheet, "gpt", every=9)
    scales.judged(store, other, "gpt", every=2)
    scales.judged(store, other, "stranger", every=2)
    found = answered(store, sheet, "transfer")
    assert found.answer.startswith(
        "From numbers to meetings: gpt is further from people there by 13 ["
    )
    assert found.answer.endswith("People put the answering models in the same order on both.")
    assert [row[0] for row in found.rows] == ["gpt"]


def test_another_order_of_the_answering_models_on_the_other_sheet_is_told(store, sheet):
    other = scales.graded_sheet(store, "meetings", first=100)
    ana = graders.find(store, "person", "Ana").id
    turned = {place: 3 - scales.deserved(place) for place in range(scales.ANSWERS)}
    scales.grade(store, other, ana, "doc-qa-0-3", turned)
    for one in (sheet, other):
        scales.judged(store, one, "gpt", every=9)
    found = answered(store, sheet, "transfer")
    assert found.answer.endswith("People put the answering models in another order there.")


def test_a_study_on_the_command_line(sampled):
    said = sampled("compare", "--study", "agreement").output
    assert said.startswith("Do judges give the scores that people give?")
    assert "Databricks (2023" in said
    found = json.loads(sampled("compare", "--study", "transfer", "--json").output)
    assert (found["name"], found["can_run"]) == ("transfer", False)
