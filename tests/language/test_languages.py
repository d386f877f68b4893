from datetime import date

import pytest
from babel.numbers import format_decimal

from concord.language.languages import LANGUAGES, shown
from concord.messages import restored, said, stored
from concord.reports import cells
from concord.reports.document import Column, Table
from concord.stats.core.estimate import Estimate

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


HEADLINE = "{n:,} answers, {share:.1%} of all, {mean:.2f} points, as of {day}: {exact}"
GERMAN = "{n:,} Antworten, {share:.1%}, {mean:.2f} Punkte, {day}: {exact}"


def test_a_headline_has_its_numbers_and_dates_as_its_language_writes_them(translate):
    translate("de", {HEADLINE: GERMAN})
    exact = cells.written(Estimate(0.5, -1.25, 2.0), "number")
    headline = said(HEADLINE, n=12345, share=0.125, mean=-0.5, day=date(2026, 11, 9), exact=exact)
    assert shown(headline, "de") == (
        "12.345 Antworten, 12,5\xa0%, -0,50 Punkte, 9. November 2026: 0,50 [-1,25; 2,00]"
    )
    assert headline == "12,345 answers, 12.5% of all, -0.50 points, as of 2026-11-09: " + exact


def test_a_table_has_its_numbers_as_its_language_writes_them_and_leaves_names_alone(translate):
    translate("de", {})
    kinds = ("text", "share", "difference", "usd", "p", "count")
    row = ("v1.5, 2.0", Estimate(0.83, 0.77, 0.88), Estimate(-1.2, -6.9, 4.4), 1234.5, 0.25, 4321)
    table = Table("figures", tuple(Column(kind, kind) for kind in kinds), (row, ("x", *[None] * 5)))
    cell = {head: shown(one, "de") for head, one in zip(*_first_row(table), strict=True)}
    assert cell == {
        "text": "v1.5, 2.0",
        "share": "83\xa0% [77; 88]",
        "difference": "-1,20 [-6,90; +4,40]",
        "usd": "$1.234,50",
        "p": "0,250",
        "count": "4.321",
    }
    assert [shown(one, "ko") for one in _first_row(table)[1]] == _first_row(table)[1]


def _first_row(table):
    heads, rows = cells.shown(table)
    return heads, rows[0]
