"""Variants: judges under several rubrics beside the same annotators."""

from fractions import Fraction

import numpy as np
import pytest

from concord.messages import Problem
from concord.reports.panel import variants
from concord.reports.panel.panel import COMPOSITE
from concord.reports.panel.variants import mapped_scores, shared_panel
from concord.store.rubrics import rubric_versions
from tests.support import scales
from tests.support.panels import give, judge


def labels(store, sheet):
    return [variant.label for variant in variants.read(store, sheet).every]


@pytest.mark.parametrize(
    ("scale", "score", "mapped"),
    [
        ((0, 1), 1, 1.0),
        ((0, 1, 2, 3), 1, 1 / 3),
        ((1, 2, 3, 4, 5), 2, 0.25),
        (tuple(range(1, 11)), 1, 0.0),
        (tuple(range(11)), 7, 0.7),
        ((-2, 0, 2), 0, 0.5),
    ],
)
def test_a_score_is_mapped_by_its_place_between_the_ends_of_its_scale(scale, score, mapped):
    assert mapped_scores(np.array([float(score)]), scale)[0] == pytest.approx(mapped)


def test_a_rubric_that_shares_some_criterion_versions_makes_no_second_variant(store, graded_sheet):
    scales.judged(store, graded_sheet, "three")
    _, rubric = rubric_versions.named(store, "doc-qa-0-3")
    readability = rubric.criterion("readability").model_copy(update={"weight": Fraction(1)})
    part = rubric.model_copy(
        update={"translations": (), "name": "part", "criteria": (readability,)}
    )
    rubric_versions.register(store, part, "app")
    assert labels(store, graded_sheet) == ["three"]


def test_annotators_are_those_of_the_rubric_they_graded_most_under(store, graded_sheet):
    _, ten = rubric_versions.named(store, "doc-qa-0-10")
    give(store, ten, "Ben", {0: 7, 1: 9})
    found = variants.read(store, graded_sheet)
    assert found.graded == {"doc-qa-0-3": scales.ANSWERS, "doc-qa-0-10": 2}
    assert found.annotators().rubric.name == "doc-qa-0-3"
    assert found.annotators("doc-qa-0-10").rubric.name == "doc-qa-0-10"
    with pytest.raises(Problem, match=r"under rubric doc-qa-1-5.*doc-qa-0-3, doc-qa-0-10"):
        found.annotators("doc-qa-1-5")


def test_side_by_side_every_score_lies_on_zero_to_one(store, graded_sheet):
    scales.judged(store, graded_sheet, "three", every=1000)
    scales.judged(store, graded_sheet, "ten", "doc-qa-0-10", every=1000)
    found = variants.read(store, graded_sheet)
    panel = shared_panel(found.every, found.annotators())
    three, ten = (panel.of("correctness", judge_id).score for judge_id in (-1, -2))
    assert three[:3].tolist() == pytest.approx([1 / 3, 0, 0])
    assert ten.tolist() == pytest.approx(three.tolist(), abs=0.05)
    annotators = panel.of("correctness", next(iter(panel.annotators))).score
    assert annotators.tolist() == pytest.approx(three.tolist())


def test_a_holistic_grade_stands_beside_the_peoples_composite(store, graded_sheet):
    scales.judged(store, graded_sheet, "whole", "holistic-1-10", kind="holistic", prompt="holistic")
    found = variants.read(store, graded_sheet)
    (whole,), annotators = found.every, found.annotators()
    assert whole.marks("correctness", annotators) is None
    assert whole.marks(COMPOSITE, annotators).score[0] == 4
    assert shared_panel([whole], annotators).of(COMPOSITE, -1).score[0] == pytest.approx(3 / 9)


def test_a_judge_of_one_of_the_peoples_criteria_has_no_composite(store, graded_sheet):
    _, rubric = rubric_versions.named(store, "doc-qa-0-3")
    alone = rubric.criterion("correctness").model_copy(
        update={"weight": Fraction(1), "question": "Right?"}
    )
    rubric_versions.register(
        store,
        rubric.model_copy(update={"translations": (), "name": "alone", "criteria": (alone,)}),
        "app",
    )
    scales.judged(store, graded_sheet, "right", "alone")
    found = variants.read(store, graded_sheet)
    assert found.every[0].marks(COMPOSITE, found.annotators()) is None
    assert found.every[0].marks("correctness", found.annotators()).scored.all()


def test_composites_are_made_with_the_peoples_weights(store, graded_sheet):
    _, ten = rubric_versions.named(store, "doc-qa-0-10")
    for criterion, score in (("correctness", 10), ("comprehensiveness", 5), ("readability", 0)):
        judge(store, ten, "ten", {0: score}, criterion=criterion)
    found = variants.read(store, graded_sheet)
    annotators = found.annotators().weighing(
        {"correctness": Fraction(1, 4), "readability": Fraction(3, 4)}
    )
    assert found.every[0].marks(COMPOSITE, found.annotators()).score[0] == 7
    assert found.every[0].marks(COMPOSITE, annotators).score[0] == 2.5
