import json
import pickle
from datetime import date

import pytest
from babel.numbers import format_decimal

from concord.importing.proposals.grade_scales import shown_scale
from concord.language.languages import LANGUAGES, shown
from concord.messages import (
    Translated,
    capital,
    day,
    minute,
    restored,
    said,
    spoken,
    stored,
)
from concord.reports import cells
from concord.reports.comparison.paired_variants import scale_name
from concord.reports.document import Column, Table
from concord.stats.core.estimate import Estimate

FROZEN = "Frozen on {day}."
FROM_TO = "{low} to {high}"


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


OWN = Translated("factual_accuracy", {"zh": "事实准确性", "ko": "사실 정확성"}.items())


@pytest.mark.parametrize(
    ("language", "alone", "among"),
    [
        ("en", "factual_accuracy", "Scores of factual_accuracy: 3"),
        ("ja", "factual_accuracy", "factual_accuracy の点数：3"),
        ("zh", "事实准确性", "事实准确性的分数：3"),
    ],
)
def test_a_text_of_the_data_is_shown_in_its_own_translation(translate, language, alone, among):
    text = "Scores of {criterion}: {n}"
    known = {"ja": "{criterion}の点数：{n}", "zh": "{criterion}的分数：{n}"}
    if language in known:
        translate(language, {text: known[language]})
    assert shown(OWN, language) == alone
    assert shown(said(text, criterion=OWN, n=3), language) == among


def test_a_translated_text_is_the_original_to_code_and_files():
    assert OWN == "factual_accuracy" and {OWN: 1}["factual_accuracy"] == 1
    assert f"{OWN}.csv" == "factual_accuracy.csv" and type(str.__str__(OWN)) is str
    assert json.dumps({OWN: OWN}) == '{"factual_accuracy": "factual_accuracy"}'
    assert restored(stored(said("{x} 1", x=OWN))) == "factual_accuracy 1"


def test_a_text_made_of_a_translated_one_keeps_the_translations():
    assert shown(str(OWN), "zh") == "事实准确性"
    assert spoken(OWN) == "factual accuracy" and shown(spoken(OWN), "zh") == "事实准确性"
    assert capital(spoken(OWN)) == "Factual accuracy"
    assert shown(capital(spoken(OWN)), "ko") == "사실 정확성"
    assert pickle.loads(pickle.dumps(OWN)).in_language("zh") == "事实准确性"


@pytest.mark.parametrize(
    ("language", "text"), [("en", "0-3"), ("zh", "0 至 3"), ("ja", "0～3"), ("ko", "0~3")]
)
def test_a_scale_has_the_range_sign_of_its_language(translate, language, text):
    translate(
        language,
        {FROM_TO: {"zh": "{low}至{high}", "ko": "{low}~{high}"}.get(language, "{low}～{high}")},
    )
    for scale in (shown_scale([0, 1, 2, 3]), scale_name([0, 1, 2, 3])):
        assert shown(scale, language) == text and scale == "0-3"
    several = shown(said("on {scale}", scale=shown_scale([0, 1, 2])), "en")
    assert several == "on 0-2" and shown_scale([0, 50, 100]) == "0, 50, 100"


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


@pytest.mark.parametrize(
    ("language", "date_and_time"),
    [("de", "09.11.2026 14:05"), ("ko", "2026. 11. 9. 14:05"), ("zh", "2026年11月9日 14:05")],
)
def test_a_moment_in_a_table_is_written_as_its_language_writes_it(
    translate, language, date_and_time
):
    translate(language, {})
    moment = "2026-11-09T14:05:31.250Z"
    assert minute(moment) == "2026-11-09 14:05" and day(moment) == "2026-11-09"
    assert shown(minute(moment), language) == date_and_time
    assert shown(day(moment), language) == date_and_time.removesuffix(" 14:05")
    assert shown(minute(moment), "en") == minute(moment) and shown(day(None), language) == ""
