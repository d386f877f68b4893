"""Texts in other languages: English where one is missing, and every place for a value kept."""

import ast
import pickle
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from babel.messages import Catalog

from concord.language import catalogues, coverage, message_extraction
from concord.language.languages import ENGLISH, LANGUAGES, accepted, nearest, shown
from concord.messages import capital, counted, joined, said, small
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
