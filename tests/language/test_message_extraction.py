"""Texts in other languages: English where one is missing, and every place for a value kept."""

import ast
import pickle

import pytest

from concord.language import catalogues, message_extraction
from concord.language.filling import filled_japanese, filled_korean
from concord.language.languages import ENGLISH, LANGUAGES, nearest, shown, with_minus
from concord.messages import capital, counted, joined, said
from tests.support.source import modules, nodes

OTHERS = [code for code in LANGUAGES if code != ENGLISH]
# What is neither said nor read: names, formats, keys, markup, addresses.


@pytest.mark.parametrize("language", OTHERS)
def test_a_text_that_a_language_lacks_is_shown_in_english(language):
    text = said("{n} judges never met {what}", n=3, what=joined(", ", [said("nowhere written")]))
    assert shown(text, language) == "3 judges never met nowhere written"
    assert shown(capital(said("not translated yet")), language) == "Not translated yet"


def test_babel_finds_every_kind_of_text_in_the_source(texts):
    assert len(texts) > 4_000 and "Language" in texts and " " in texts
    assert texts["{n:,} answer"].id == ("{n:,} answer", "{n:,} answers")
    assert {name.rpartition(".")[2] for text in texts for name, _ in text.locations} == {
        *("py", "js", "html", "md", "toml")
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


_SAYS = {"counted", "terms", *message_extraction.TAKES}
_SAYS |= {"getLogger", "compile", "TypeVar", "ParamSpec"}


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
    assert shown(said("{n} of {what}", n=3, what="answers"), "ja") == "answers の3"  # data
    assert shown(joined(", ", [said("answers"), "", "gpt-4"]), "ja") == "回答、gpt-4"
    assert shown(said("never heard {n}", n=1), "ja") == "never heard 1"


@pytest.mark.parametrize(
    ("language", "who", "n", "text"),
    [
        ("zh", "gpt-4", 192, "gpt-4 在 192 条中，由 gpt-4 评"),
        ("zh", "张三", "两", "张三在两条中，由张三评"),
        ("zh", "“gpt”", "１２", "“gpt”在１２条中，由“gpt”评"),
        ("zh", "42%", "$3", "42% 在 $3 条中，由 42% 评"),
        ("ja", "gpt-4", 192, "gpt-4 在192条中，由 gpt-4 评"),
    ],
)
def test_a_space_is_where_another_script_meets_chinese_or_a_latin_word_japanese(
    translate, language, who, n, text
):
    translate(language, {"{who}: {n}, {who}": "{who}在{n}条中，由{who}评"})
    assert shown(said("{who}: {n}, {who}", who=who, n=n), language) == text


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
    assert found(".md", "# no\n\n### Kappa\nOne\ntwo.\n\nMore.") == ["Kappa", "One two."]
    assert found(".toml", 'title = "k"\nx = 1\n[[case]]\nabout = "l"') == ["k", "l"]
    canary = '[[answer]]\nname = "o"\nabout = "p"\nright = 0'
    assert found(".toml", canary) == ["p", "o"]
    assert found(".toml", 'formula = "m"\nsource = "n"\nvotes = 3') == ["m", "n"]
    assert found(".py", 'Canary("a canary", "Its sentence.", right=(1, 1))') == [
        "a canary",
        "Its sentence.",
    ]


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
    ],
)
def test_a_particle_fits_the_korean_word_before_it(template, value, text):
    assert filled_korean(template, {"x": value}) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0은"), (1, "1은"), (2, "2는"), (3, "3은"), (5, "5는"), (6, "6은"), (9, "9는")],
)
def test_a_digit_is_read_as_a_word(value, text):
    assert filled_korean("{n}은(는)", {"n": value}) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("careful-judge", "careful-judge는"),
        ("baseline", "baseline은"),
        ("few-shot", "few-shot은"),
        ("gpt-4o", "gpt-4o는"),
        ("GPT", "GPT는"),
        ("LLM", "LLM은"),
        ("Ana", "Ana는"),
        ("Ben", "Ben은"),
        ("atlas", "atlas는"),
        ("“reader”", "“reader”는"),
    ],
)
def test_a_latin_word_takes_the_form_of_how_it_is_read(value, text):
    assert filled_korean("{x}은(는)", {"x": value}) == text


def test_nothing_of_a_value_or_of_the_words_between_is_changed():
    text = filled_korean("{x}: 을(를) 씀 {{이(가)}} {n:,}개", {"x": "글 이(가)", "n": 1200})
    assert text == "글 이(가): 을(를) 씀 {이(가)} 1,200개"


def test_a_screen_in_korean_says_the_particle_that_fits(translate):
    translate("ko", {"Grade {n}": "{n}을(를) 채점"})
    assert shown(said("Grade {n}", n=2), "ko") == "2를 채점"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("gpt-5", "基準 gpt-5 は gpt-5 と「gpt-5」、gpt-5"),
        ("正確さ", "基準正確さは正確さと「正確さ」、正確さ"),
        ("コーナー", "基準コーナーはコーナーと「コーナー」、コーナー"),
        ("12件", "基準12件は12件と「12件」、12件"),
        ("95% CI", "基準95% CI は95% CI と「95% CI」、95% CI"),
        (75, "基準75は75と「75」、75"),
        ("（空）", "基準（空）は（空）と「（空）」、（空）"),
        ("", "基準 は と「」、"),
    ],
)
def test_a_latin_word_and_nothing_else_has_a_space_in_japanese(value, text):
    """However a translation has it: with one space or none."""
    assert filled_japanese("基準 {x}は{x} と「{x}」、{x}", {"x": value}) == text


def test_a_name_and_a_date_keep_their_hyphens():
    found = said("{judge} at {figure:.1f}, {day}", judge="gpt-4", figure=-4.9, day="2026-11-27")
    assert with_minus(found, found) == "gpt-4 at −4.9, 2026-11-27"
    assert with_minus("gpt-4: -4.9", found) == "gpt-4: −4.9"
    assert (
        with_minus("gpt-4の差は-4.9", found) == "gpt-4の差は−4.9"
    )  # without a space, as in Japanese
