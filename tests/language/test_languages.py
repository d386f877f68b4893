import ast
import json
import pickle
from datetime import date

import pytest
from babel.numbers import format_decimal

from concord.importing.scores import shown_scale
from concord.language import catalogues, message_extraction
from concord.language.languages import ENGLISH, LANGUAGES, nearest, shown, with_minus
from concord.messages import (
    Translated,
    capital,
    counted,
    day,
    joined,
    minute,
    said,
    spoken,
)
from concord.reports.comparison.compare import scale_name
from tests.support.source import modules, nodes

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
        ("ja", "factual_accuracy", "factual_accuracyの点数：3"),
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


def test_a_text_made_of_a_translated_one_keeps_the_translations():
    assert shown(str(OWN), "zh") == "事实准确性"
    assert spoken(OWN) == "factual accuracy" and shown(spoken(OWN), "zh") == "事实准确性"
    assert capital(spoken(OWN)) == "Factual accuracy"
    assert shown(capital(spoken(OWN)), "ko") == "사실 정확성"
    assert pickle.loads(pickle.dumps(OWN)).in_language("zh") == "事实准确性"


@pytest.mark.parametrize(
    ("language", "text"), [("en", "0-3"), ("zh", "0至3"), ("ja", "0～3"), ("ko", "0~3")]
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


@pytest.mark.parametrize("language", LANGUAGES)
def test_numbers_are_written_alike_in_every_language(language):
    """Templates format numbers themselves; a language with other signs would need its own way."""
    assert format_decimal(1234567.5, "#,##0.0", locale=language) == f"{1234567.5:,.1f}"


@pytest.mark.parametrize(
    ("language", "date_and_time"),
    [("ko", "2026. 11. 9. 14:05"), ("zh", "2026年11月9日 14:05")],
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


OTHERS = [code for code in LANGUAGES if code != ENGLISH]
# What is neither said nor read: names, formats, keys, markup, addresses.


@pytest.mark.parametrize("language", OTHERS)
def test_a_text_that_a_language_lacks_is_shown_in_english(language):
    text = said("{n} judges never met {what}", n=3, what=joined(", ", [said("nowhere written")]))
    assert shown(text, language) == "3 judges never met nowhere written"
    assert shown(capital(said("not translated yet")), language) == "Not translated yet"


def test_babel_finds_every_kind_of_text_in_the_source(texts):
    assert len(texts) > 1_000 and "Language" in texts and " " in texts
    assert texts["{n:,} answer"].id == ("{n:,} answer", "{n:,} answers")
    assert {name.rpartition(".")[2] for text in texts for name, _ in text.locations} == {
        *("py", "js", "html")
    }


def test_the_text_of_every_kind_of_error_is_read():
    classes = [n for path in modules("concord") for n in nodes(path) if isinstance(n, ast.ClassDef)]
    errors = {"Problem", "BadCell"}
    for _ in range(3):
        errors |= {one.name for one in classes if errors & {*map(ast.unparse, one.bases)}}
    assert errors <= {*message_extraction.TAKES} and len(errors) > 5


@pytest.mark.parametrize("language", OTHERS)
def test_every_place_for_a_value_is_kept_and_can_be_filled_in(language):
    for message in catalogues.read(language):
        if not message.id or not catalogues.translated(message):
            continue
        english = message.id[-1] if message.pluralizable else message.id
        for other in [message.string] if isinstance(message.string, str) else message.string:
            assert message_extraction.places(english) == message_extraction.places(other)
            places = {place: 1 for place in message_extraction.places(english)}
            if places and "{{" not in english:
                other.format(**places)


def test_a_said_text_is_english_to_everything_but_a_screen():
    text = said("{n} of {total} graded", n=3, total=said("nine"))
    assert text == "3 of nine graded" and shown(text, ENGLISH) == "3 of nine graded"
    assert type(shown(text, ENGLISH)) is str
    again = pickle.loads(pickle.dumps(text))
    assert again == text and again.values["total"].template == "nine"


def test_a_text_is_shown_with_its_parts_in_the_same_language(translate):
    known = {"{n} of {what}": "{what}の{n}", "answers": "回答", ", ": "、", "none": "なし"}
    translate("ja", known)
    assert shown(said("{n} of {what}", n=3, what=said("answers")), "ja") == "回答の3"
    assert shown(said("{n} of {what}", n=3, what="answers"), "ja") == "answersの3"  # data
    assert shown(joined(", ", [said("answers"), "", "gpt-4"]), "ja") == "回答、gpt-4"
    assert shown(said("never heard {n}", n=1), "ja") == "never heard 1"


def test_braces_of_a_text_without_values_are_braces():
    assert said("{n} stays") == "{n} stays"


@pytest.mark.parametrize(
    ("locale", "language"),
    [("ko-KR", "ko"), ("ja", "ja"), ("zh_TW", "zh"), ("de-DE", "en"), ("", "en"), (None, "en")],
)
def test_the_browsers_language_is_taken_where_it_is_spoken(locale, language):
    assert nearest(locale) == language


def test_texts_are_found_in_every_kind_of_file():
    def found(kind, source):
        return [text for _, text in message_extraction.READERS[kind](source)]

    python = "say('a {n}', n=1); words.said('b' if x else 'c'); joined('\\n', x); joined(' ', x)"
    assert found(".py", python) == ["a {n}", "b", "c", " "]
    assert found(".py", "counted(n, 'answer')") == [("{n:,} answer", "{n:,} answers")]
    assert found(".py", "counted(2, 'person', 'people')") == [("{n:,} person", "{n:,} people")]
    assert found(".js", 'say("d \\"e\\"", { n }); this.tell("f")') == ['d "e"']
    page = '<p title="g">\n h\n</p><i></i><b aria-label="i &amp; j"></b>'
    assert found(".html", page) == ["g", "i & j", "h"]


def test_a_number_of_things_takes_the_plural_form_of_the_language(translate):
    translate("ja", {("{n:,} answer", "{n:,} answers"): "回答{n:,}件"})
    assert [shown(counted(n, "answer"), "ja") for n in (1, 1204)] == ["回答1件", "回答1,204件"]
    assert shown(counted(1, "claim"), "ja") == "1 claim"


@pytest.mark.parametrize(
    ("template", "value", "text"),
    [
        ("{x}을(를) 고르세요", "답변", "답변을 고르세요"),
        ("{x}을(를) 고르세요", "답변 3개", "답변 3개를 고르세요"),
        ("{x}은(는) 아닙니다", "시트", "시트는 아닙니다"),
        ("{x}이(가) 없습니다", "기준", "기준이 없습니다"),
        ("{x}와(과) 사람", "심사 모델", "심사 모델과 사람"),
        ("{x}와(과) 사람", "기준표", "기준표와 사람"),
        ("{x}(으)로 지정", "심사 모델", "심사 모델로 지정"),
        ("{x}(으)로 지정", "질문", "질문으로 지정"),
        ("{x}(으)로 지정", "예시", "예시로 지정"),
        ("“{x}”을(를) 시작", "표본", "“표본”을 시작"),
        ("“{x}”(이)라는 시트", "표", "“표”라는 시트"),
        ("{x}은(는)", 0, "0은"),
        ("{x}은(는)", 5, "5는"),
        ("{x}(으)로", 7, "7로"),
        ("{x}은(는)", "gpt-4o", "gpt-4o은(는)"),
        ("{x}: 을(를) 씀 {{이(가)}}", "글 이(가)", "글 이(가): 을(를) 씀 {이(가)}"),
    ],
)
def test_a_particle_fits_the_korean_word_before_it(translate, template, value, text):
    translate("ko", {"{x}": template})
    assert shown(said("{x}", x=value), "ko") == text


def test_a_name_and_a_date_keep_their_hyphens():
    found = said("{judge} at {figure:.1f}, {day}", judge="gpt-4", figure=-4.9, day="2026-11-27")
    assert with_minus(found, found) == "gpt-4 at −4.9, 2026-11-27"
    assert with_minus("gpt-4: -4.9", found) == "gpt-4: −4.9"
    assert (
        with_minus("gpt-4の差は-4.9", found) == "gpt-4の差は−4.9"
    )  # without a space, as in Japanese
