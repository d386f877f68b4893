import ast
from datetime import date

import pytest
from babel.numbers import format_decimal

from concord.language import languages, message_extraction
from concord.language.languages import ENGLISH, LANGUAGES, nearest, translate
from concord.messages import counted, joined, said
from tests.support.source import modules, nodes

FROZEN = "Frozen on {day}."


@pytest.mark.parametrize(
    ("language", "template", "text"),
    [
        ("en", "", "Frozen on 2026-11-09."),
        ("zh", "冻结于 {day}。", "冻结于 2026年11月9日。"),
        ("ja", "{day}に凍結。", "2026年11月9日に凍結。"),
        ("ko", "{day}에 동결.", "2026년 11월 9일에 동결."),
    ],
)
def test_a_date_is_written_as_the_language_writes_it(say_in, language, template, text):
    say_in(language, {FROZEN: template})
    assert said(FROZEN, day=date(2026, 11, 9)) == text


@pytest.mark.parametrize("language", LANGUAGES)
def test_numbers_are_written_alike_in_every_language(language):
    """Templates format numbers themselves; a language with other signs would need its own way."""
    assert format_decimal(1234567.5, "#,##0.0", locale=language) == f"{1234567.5:,.1f}"


OTHERS = [code for code in LANGUAGES if code != ENGLISH]


def test_what_a_language_lacks_is_said_in_english(say_in):
    say_in("ja", {})
    assert said("{n} judges never met {what}", n=3, what="us") == "3 judges never met us"
    assert counted(1, "claim") == "1 claim"


@pytest.mark.parametrize("language", OTHERS)
def test_all_that_annotators_see_is_translated(language, texts):
    known = languages.catalogue(language)
    assert {one.id for one in texts if one.id} == {one.id for one in known if one.id}
    untranslated = [one for one in known if one.id and (one.fuzzy or not one.string)]
    assert untranslated == []


def test_babel_finds_every_kind_of_text_in_the_source(texts):
    assert 300 < len(texts) < 600 and "Language" in texts and ", " in texts
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
    for message in languages.catalogue(language):
        if not message.id:
            continue
        english = message.id[-1] if message.pluralizable else message.id
        for other in [message.string] if isinstance(message.string, str) else message.string:
            assert other and message_extraction.places(english) == message_extraction.places(other)
            places = {place: 1 for place in message_extraction.places(english)}
            if places and "{{" not in english:
                other.format(**places)


def test_a_text_is_said_with_its_parts_in_the_same_language(say_in):
    say_in("ja", {"{n} of {what}": "{what}の{n}", "answers": "回答", ", ": "、"})
    assert said("{n} of {what}", n=3, what=said("answers")) == "回答の3"
    assert said("{n} of {what}", n=3, what="answers") == "answersの3"  # data
    assert joined(", ", [said("answers"), "", "gpt-4"]) == "回答、gpt-4"


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


def test_a_number_of_things_takes_the_plural_form_of_the_language(say_in):
    say_in("ja", {("{n:,} answer", "{n:,} answers"): "回答{n:,}件"})
    assert [counted(n, "answer") for n in (1, 1204)] == ["回答1件", "回答1,204件"]


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
def test_a_particle_fits_the_korean_word_before_it(say_in, template, value, text):
    say_in("ko", {"{x}": template})
    assert translate("{x}", "ko", x=value) == text
