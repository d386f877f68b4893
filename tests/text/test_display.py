"""Texts cut to a number of columns."""

import pytest

from concord.text.display import middle_cut, width


@pytest.mark.parametrize(
    ("text", "columns", "cut"),
    [
        ("gpt-judge", 9, "gpt-judge"),
        ("gpt-5.6-terra-few-shot-2026", 12, "gpt-5…t-2026"),
        ("正確性を採点する判定者", 9, "正確…定者"),
        ("x" * 100_000, 3, "x…x"),
    ],
)
def test_a_long_text_loses_its_middle(text, columns, cut):
    assert middle_cut(text, columns) == cut and width(cut) <= columns
