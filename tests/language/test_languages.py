from datetime import date

import pytest
from babel.numbers import format_decimal

from concord.language.languages import LANGUAGES, shown
from concord.messages import restored, said, stored

FROZEN = "Frozen on {day}."


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "Frozen on 2026-11-09."),
        ("zh", "冻结于 2026年11月9日。"),
        ("ja", "2026年11月9日に凍結。"),
        ("ko", "2026년 11월 9일에 동결."),
    ],
)
def test_a_date_is_written_as_the_language_writes_it(translate, language, text):
    known = {"zh": "冻结于 {day}。", "ja": "{day}に凍結。", "ko": "{day}에 동결."}
    if language in known:
        translate(language, {FROZEN: known[language]})
    assert shown(said(FROZEN, day=date(2026, 11, 9)), language) == text


def test_a_stored_text_keeps_its_date():
    assert restored(stored(said(FROZEN, day=date(2026, 11, 9)))) == "Frozen on 2026-11-09."


@pytest.mark.parametrize("language", LANGUAGES)
def test_numbers_are_written_alike_in_every_language(language):
    """Templates format numbers themselves; a language with other signs would need its own way."""
    assert format_decimal(1234567.5, "#,##0.0", locale=language) == f"{1234567.5:,.1f}"
