from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from concord.rubrics.model import Criterion, Example, Level, Rubric, of_units, parse, presets
from concord.rubrics.rubric_toml import as_toml


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


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=30))
def test_any_text_at_all_survives(text):
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
