from fractions import Fraction

import pytest

from concord.rubrics.edit import Change, changes
from concord.rubrics.model import Criterion, Example, Level, Rubric, of_units, parse, presets
from concord.rubrics.rubric_toml import as_toml
from tests.support.rubrics import OLD, edited, with_another_meaning


def rubric_with(text: str, weight: Fraction = Fraction(1)) -> Rubric:
    """A rubric of two scores that holds `text` in every free place."""
    example = Example(question=text, answer=text, why=text, context=text)
    levels = (
        Level(score=0, meaning=f"x{text}", examples=(example,)),
        Level(score=1, meaning=f"{text}x"),
    )
    criteria = [Criterion(name="a", weight=weight, question=f"{text}?", levels=levels, title=text)]
    if weight != 1:
        rest = Criterion(name="b", weight=1 - weight, question="?", levels=levels, fails_at=0)
        criteria.append(rest)
    title = text if text.strip() else "x"  # it cannot be blank
    return Rubric(name="r", title=title, about=text, scale=(0, 1), criteria=tuple(criteria))


@pytest.mark.parametrize(
    "rubric", [*presets().values(), *of_units().values()], ids=lambda one: one.name
)
def test_every_preset_is_read_back_as_it_was(rubric):
    assert parse(as_toml(rubric), "again") == rubric


@pytest.mark.parametrize(
    "text",
    [
        'say "no"',
        '"""',
        "a\\b\\n",
        "two\nlines",
        "\nfirst line empty",
        'ends in a quote\nlike this"',
        "ends in a slash\nlike \\",
        "dos\r\nlines",
        "tab\tand bell\x07",
        "正しい・맞음",
        "",
    ],
)
def test_any_text_survives(text):
    rubric = rubric_with(text)
    assert parse(as_toml(rubric), "again") == rubric


@pytest.mark.parametrize(
    ("weight", "written"),
    [(Fraction(3, 5), "0.6"), (Fraction(1, 3), '"1/3"'), (Fraction(1, 8), "0.125")],
)
def test_a_weight_stays_exact(weight, written):
    rubric = rubric_with("x", weight)
    assert f"weight = {written}\n" in as_toml(rubric)
    assert parse(as_toml(rubric), "again").weights() == rubric.weights()


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
    assert changes(OLD, with_another_meaning())[0] == Change(
        "correctness", "new version", ("meaning of 2",), True
    )


def test_a_criterion_title_that_says_its_name_again_is_no_change():
    assert changes(OLD, edited(title="Correctness"))[0].what == ()


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
