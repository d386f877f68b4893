"""Scores of words by convention, on the scale of a rubric."""

import pytest

from concord.text.rating_words import rated_on


@pytest.mark.parametrize(
    ("words", "scale", "given", "scores"),
    [
        (("pass", "fail"), (0, 1), {}, {"pass": 1, "fail": 0}),
        (("Pass", "FAIL"), (0, 1), {"pass": 1}, {"FAIL": 0}),
        (("pass", "fail"), (0, 1, 2, 3), {}, {}),
        (("pass", "fail"), (0, 1), {"pass": 0}, {}),  # fail must not be 0 as well
        (("pass", "maybe", "fail"), (0, 1), {"maybe": None}, {"pass": 1, "fail": 0}),
        (("5 - excellent", "4 - good"), (1, 2, 3, 4, 5), {}, {"5 - excellent": 5, "4 - good": 4}),
        (("6 - excellent", "4 - good"), (1, 2, 3, 4, 5), {}, {}),
        (("通过", "不通过"), (0, 1), {}, {"通过": 1, "不通过": 0}),
        (("apple",), (0, 1), {}, {}),
    ],
)
def test_convention_holds_on_its_own_scale_where_nothing_contradicts_it(
    words, scale, given, scores
):
    assert rated_on(words, scale, given) == scores
