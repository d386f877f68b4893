from fractions import Fraction

import pytest

from concord.rubrics.edit import Change, changes
from concord.rubrics.model import presets
from tests.support.edited_rubrics import OLD, edited, reworded


def test_nothing_changed_is_nothing_to_say():
    assert changes(OLD, OLD) == [Change(c.name, "same", ()) for c in OLD.criteria]


@pytest.mark.parametrize(
    ("of_first", "what"),
    [
        ({"weight": Fraction(1, 2)}, "weight"),
        ({"title": "Right?"}, "title"),
        ({"fails_at": 2}, "which scores fail"),
        (
            {
                "levels": tuple(
                    x.model_copy(update={"examples": ()}) for x in OLD.criteria[0].levels
                )
            },
            "examples",
        ),
    ],
)
def test_weights_titles_examples_and_the_threshold_keep_the_version(of_first, what):
    assert changes(OLD, edited(**of_first))[0] == Change("correctness", "same", (what,))


def test_a_changed_meaning_is_a_new_version_that_may_carry_its_grades():
    assert changes(OLD, reworded())[0] == Change(
        "correctness", "new version", ("meaning of 2",), True
    )


def test_a_criterion_title_that_says_its_name_again_is_no_change():
    assert changes(OLD, edited(title="Correctness"))[0].what == ()


def test_what_is_shown_is_more_than_wording():
    new = OLD.model_copy(update={"shown": ("question",)})
    found = changes(OLD, new)
    assert [c.kind for c in found] == ["new version"] * 3
    assert not any(c.may_carry for c in found)


def test_another_scale_is_more_than_wording():
    found = changes(OLD, presets()["doc-qa-0-4"])
    assert found[0].kind == "new version"
    assert "scale" in found[0].what
    assert not found[0].may_carry


def test_criteria_come_and_go():
    new = OLD.model_copy(
        update={"criteria": (OLD.criteria[1], presets()["holistic-1-10"].criteria[0])}
    )
    assert [(c.criterion, c.kind) for c in changes(OLD, new)] == [
        ("comprehensiveness", "same"),
        ("overall", "added"),
        ("correctness", "removed"),
        ("readability", "removed"),
    ]
