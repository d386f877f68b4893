"""A rubric for imported grades: one that fits is proposed, otherwise one is made."""

import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from concord.messages import Problem
from concord.rubrics import fit
from concord.rubrics.model import presets

FIVE = (1, 2, 3, 4, 5)


def test_columns_become_titles_and_valid_names():
    rubric = fit.new_rubric(
        ["Q0", "Overall quality", "정확성", "overall  quality!", "2 Fluency é"], FIVE
    )
    assert [one.name for one in rubric.criteria] == [
        "q0",
        "overall_quality",
        "criterion_3",
        "overall_quality_2",
        "fluency_e",
    ]
    assert [one.heading() for one in rubric.criteria][:3] == ["Q0", "Overall quality", "정확성"]
    assert {one.weight for one in rubric.criteria} == {Fraction(1, 5)}
    assert rubric.without_meanings() and rubric.scale == FIVE


def test_a_name_with_underscores_becomes_a_title_that_reads_as_text():
    rubric = fit.new_rubric(["overall_quality", "GPT_score", "q0"], FIVE)
    assert [one.heading() for one in rubric.criteria] == ["Overall quality", "GPT_score", "Q0"]
    rubric = fit.new_rubric(["exact_match accepted", "Is it so?"], FIVE)
    assert [one.heading() for one in rubric.criteria] == ["Exact match accepted", "Is it so?"]


def test_a_stored_rubric_with_the_criteria_and_the_scores_is_proposed():
    found = fit.proposed(presets().values(), ["Correctness"], (0, 1, 2, 3), {0, 3})
    assert not found.is_new and found.rubric.scale == (0, 1, 2, 3)
    assert "doc-qa-0-10" in found.others and "doc-qa-1-5" not in found.others


def test_criteria_that_the_file_has_no_grades_on_are_named_with_what_follows():
    rubric = presets()["doc-qa-0-3"]
    titles = [one.heading() for one in rubric.criteria]
    found = fit.proposed([rubric], titles[:1], rubric.scale, {0, 3})
    assert (found.is_new, found.rubric) == (False, rubric)
    assert f"no grades on {', '.join(titles[1:])}, so the composite stays undefined" in found.reason
    fit.proposed([rubric], titles, rubric.scale, {0, 3})


def test_another_scale_makes_a_new_rubric():
    found = fit.proposed(presets().values(), ["Correctness"], (-1, 0, 1), {-1, 1}, "My sheet")
    assert found.is_new and found.rubric.name == "my-sheet"
    taken = fit.new_rubric(["a"], FIVE, "My sheet", {"my-sheet"})
    assert taken.name == "my-sheet-2"


def test_without_a_scale_or_a_criterion_no_rubric_is_made():
    with pytest.raises(Problem):
        fit.new_rubric(["a"], ())
    with pytest.raises(Problem, match="no criterion is named"):
        fit.new_rubric([" "], FIVE)


def test_a_new_rubric_is_read_back_from_a_spec():
    rubric = fit.new_rubric(["Q0", "정확성"], FIVE, "평가")
    assert fit.of_table(fit.as_table(rubric), "s.toml") == rubric
    for table in ({}, {"name": "a", "scale": 3, "criteria": []}, {"name": "a", "scale": [1, 2]}):
        with pytest.raises(Problem):
            fit.of_table(table, "s.toml")


@given(st.lists(st.text(max_size=80), max_size=8), st.text(max_size=80))
def test_any_titles_give_valid_different_names(titles, name):
    if not any(title.strip() for title in titles):
        return
    rubric = fit.new_rubric(titles, FIVE, name)
    names = [one.name for one in rubric.criteria]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"[a-z][a-z0-9_]*", one) for one in names)
    assert sum(one.weight for one in rubric.criteria) == 1
