"""Texts in other languages: English where one is missing, and every place for a value kept."""

import ast
import pickle
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from babel.messages import Catalog

from concord.language import catalogues, coverage, message_extraction
from concord.language.filling import filled_chinese, filled_japanese, filled_korean
from concord.language.languages import ENGLISH, LANGUAGES, accepted, nearest, shown, with_minus
from concord.messages import Numeral, capital, counted, joined, said, small
from concord.reports.probabilities.judge_probabilities import source_name
from tests.support.source import modules, name, nodes

OTHERS = [code for code in LANGUAGES if code != ENGLISH]
# What is neither said nor read: names, formats, keys, markup, addresses.
TWO_WORDS = re.compile(r"[A-Za-z]{2,}[,;:’']? [a-z]{2,}|[a-z]{2,} \{|\} [a-z]{2,}|^[A-Z][a-z]{3,}$")
MARKUP = re.compile(r"noopener|^\s*(<|[.#:@\[])|[{;]\s*[a-z-]+:|https?://|\bvar\(--")


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


def test_what_a_language_lacks_is_listed_and_what_is_only_guessed_counts_as_lacking():
    asked, known = Catalog(), Catalog(locale="ko")
    for text in ("a", "b", "c", "d", ("{n} e", "{n} es")):
        asked.add(text)
    known.add("a", "가")
    known.add("b", "")
    known.add("c", "다", flags=["fuzzy"])
    known.add(("{n} e", "{n} es"), ("",))
    assert coverage.missing(known, asked) == ["b", "c", "d", "{n} e"]


def test_the_coverage_of_every_language_is_printed_and_what_is_missing_fails_nothing(
    texts, monkeypatch, capsys
):
    monkeypatch.setattr(coverage, "template", lambda: texts)
    texts.add("nowhere written {n}")
    coverage.main(["ja"])
    printed = capsys.readouterr().out.splitlines()
    assert "  nowhere written {n}" in printed
    assert [line[:4] for line in printed if line[0] != " "] == [f"{code}: " for code in OTHERS]


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


@pytest.mark.parametrize(
    "path", [p for r in ("concord.ui", "pages", "app") for p in modules(r)], ids=name
)
def test_a_screen_says_nothing_that_cannot_be_said_in_another_language(path):
    assert list(_unsaid(path)) == []


def _unsaid(path: Path) -> Iterator[tuple[int, str]]:
    """Texts that look like English for a reader and are not handed to `say` or `said`."""
    quiet = {id(node) for call in nodes(path) for node in _quiet(call)}
    for node in nodes(path):
        if id(node) in quiet:
            continue
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = node.value
        elif isinstance(node, ast.JoinedStr):
            text = "".join(p.value if isinstance(p, ast.Constant) else "{}" for p in node.values)
        else:
            continue
        if TWO_WORDS.search(text) and not MARKUP.search(text):
            yield node.lineno, text


def _quiet(node: ast.AST) -> Iterator[ast.AST]:
    """What is within a call that says it, a docstring, a comparison or an annotation."""
    if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] in _SAYS:
        yield from ast.walk(node)
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        yield node.value
    elif isinstance(node, ast.JoinedStr):
        yield from (part for part in node.values)
    elif isinstance(node, ast.Compare | ast.Subscript):
        yield from ast.walk(node)


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


def test_only_english_begins_with_another_letter(translate):
    translate("ja", {"grade {n}": "採点{n}"})
    text = capital(said("grade {n}", n=3))
    assert text == "Grade 3" and shown(text, "ja") == "採点3"
    assert small(text) == "grade 3" and capital("") == "" and small("Ada") == "ada"


def test_braces_of_a_text_without_values_are_braces():
    assert said("{n} stays") == "{n} stays"


@pytest.mark.parametrize(
    ("locale", "language"),
    [("ko-KR", "ko"), ("ja", "ja"), ("zh_TW", "zh"), ("de-DE", "en"), ("", "en"), (None, "en")],
)
def test_the_browsers_language_is_taken_where_it_is_spoken(locale, language):
    assert nearest(locale) == language


@pytest.mark.parametrize(
    ("header", "language"),
    [
        ("ko-KR,ko;q=0.9,en;q=0.8", "ko"),
        ("fr, en;q=0.4, zh-TW;q=0.7", "zh"),
        ("ja;q=0, de", "en"),
        ("ja;q=x, *", "en"),
        ("", "en"),
    ],
)
def test_of_the_languages_a_browser_accepts_the_first_that_is_spoken_is_taken(header, language):
    assert accepted(header) == language


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


def test_nothing_between_parts_stays_nothing():
    assert shown(joined("", ["a", "b"]), OTHERS[0]) == "ab" and shown("", OTHERS[0]) == ""


def test_imported_probabilities_and_an_imported_judge_may_have_different_words(translate):
    translate("ja", {"imported": "インポート済み", "from a file": "ファイルから"})
    assert source_name("imported") == "imported"
    assert shown(source_name("imported"), "ja") == "ファイルから"
    assert shown(said("imported"), "ja") == "インポート済み"


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


def test_a_digit_that_ends_in_l_takes_the_short_form_of_by():
    assert [filled_korean("{n}(으)로", {"n": n}) for n in (1, 3, 4)] == ["1로", "3으로", "4로"]


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


def test_a_latin_word_that_ends_in_l_takes_the_short_form_of_by():
    names = ("mistral", "careful", "sample", "qwen", "LLM")
    read = [filled_korean("{n}(으)로", {"n": n}) for n in names]
    assert read == ["mistral로", "careful로", "sample로", "qwen으로", "LLM으로"]
    assert filled_korean("{n}을(를) 삭제", {"n": "sample"}) == "sample을 삭제"


def test_what_stands_in_brackets_or_marks_behind_a_word_is_passed_over():
    assert filled_korean("{x}은(는)", {"x": "답변 3개 (80%)"}) == "답변 3개 (80%)는"
    assert filled_korean("**{x}**을(를)", {"x": "기준"}) == "**기준**을"
    assert filled_korean("{x}이(가)", {"x": "75% [68, 81]"}) == "75% [68, 81]가"


def test_both_forms_stay_where_it_is_unknown_how_a_value_is_read():
    assert filled_korean("{x}은(는)", {"x": "sonnet"}) == "sonnet은(는)"
    assert filled_korean("{x}은(는)", {"x": ""}) == "은(는)"


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


def test_no_space_between_values_or_before_a_latin_word_is_changed_in_japanese():
    values = {"a": "正確さ", "b": "可読性"}
    assert filled_japanese("{a} {b} QWK：{a}", values) == "正確さ 可読性 QWK：正確さ"
    assert filled_japanese("{{a}} {n:,}件", {"n": 1200}) == "{a} 1,200件"


@pytest.mark.parametrize("filled", [filled_chinese, filled_japanese, filled_korean])
@pytest.mark.parametrize(
    ("template", "value", "text"),
    [
        ("**{name}**에", "answers (2)", "**answers (2)\u200b**에"),
        ("**{name}**에", "answers", "**answers**에"),
        ("**{name}**，", "answers (2)", "**answers (2)**，"),
        ("**{name}** 12", "answers (2)", "**answers (2)** 12"),
    ],
)
def test_bold_type_ends_behind_a_bracket_before_a_letter(filled, template, value, text):
    assert filled(template, {"name": value}) == text


@pytest.mark.parametrize("mark", ["**", "`"])
@pytest.mark.parametrize(
    ("value", "text"), [("退货", "{0}退货{0}：删除"), ("gpt-4", "{0}gpt-4{0}：删除")]
)
def test_nothing_stands_between_a_chinese_name_and_the_marks_around_it(mark, value, text):
    template = f"{mark}{{x}}{mark}：删除"
    assert filled_chinese(template, {"x": value}) == text.format(mark)
    assert (
        filled_chinese("删除{x}会", {"x": f"{mark}{value}{mark}"}) == f"删除 {mark}{value}{mark} 会"
    )


def test_a_name_and_a_date_keep_their_hyphens():
    found = said("{judge} at {figure:.1f}, {day}", judge="gpt-4", figure=-4.9, day="2026-11-27")
    assert with_minus(found, found) == "gpt-4 at −4.9, 2026-11-27"
    assert with_minus("gpt-4: -4.9", found) == "gpt-4: −4.9"
    assert (
        with_minus("gpt-4の差は-4.9", found) == "gpt-4の差は−4.9"
    )  # without a space, as in Japanese


def test_a_text_that_is_no_message_stays_as_it_is():
    assert with_minus("-4.9", "-4.9") == "-4.9"
    assert with_minus("-4.9", Numeral("-4.9")) == "−4.9"
