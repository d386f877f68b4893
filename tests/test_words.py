"""Texts in other languages: English where one is missing, and every place for a value kept."""

import ast
import pickle
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from source import modules, name, nodes
from ui import language
from words import spoken, untranslated
from words.language import ENGLISH, LANGUAGES, accepted, nearest, shown, words
from words.said import capital, joined, said, small

OTHERS = [code for code in LANGUAGES if code != ENGLISH]
BETWEEN = {" ", ", ", "; "}
# What is neither said nor read: names, formats, keys, markup, addresses.
TWO_WORDS = re.compile(r"[A-Za-z]{2,}[,;:’']? [a-z]{2,}|[a-z]{2,} \{|\} [a-z]{2,}|^[A-Z][a-z]{3,}$")
MARKUP = re.compile(r"noopener|^\s*(<|[.#:@\[])|[{;]\s*[a-z-]+:|https?://|\bvar\(--")


@pytest.mark.parametrize("language", OTHERS)
def test_a_text_that_a_language_lacks_is_shown_in_english(language):
    text = said("{n} judges never met {what}", n=3, what=joined(", ", [said("nowhere written")]))
    assert shown(text, language) == "3 judges never met nowhere written"
    assert shown(capital(said("not translated yet")), language) == "Not translated yet"


def test_what_each_language_lacks_can_be_listed():
    listed = untranslated.missing(OTHERS[0], {"{n} graded", "nowhere written {n}"} | BETWEEN)
    assert "nowhere written {n}" in listed and not BETWEEN & {*listed}
    texts = untranslated.spoken_texts()
    assert len(texts) > 4_000 and "Language" in texts


@pytest.mark.parametrize("language", OTHERS)
def test_every_place_for_a_value_is_kept(language):
    wrong = [
        english
        for english, other in words(language).items()
        if spoken.places(english) != spoken.places(other)
    ]
    assert wrong == []


@pytest.mark.parametrize("language", OTHERS)
def test_every_text_can_be_filled_in(language):
    for english, other in words(language).items():
        places = {place: 1 for place in spoken.places(english)}
        if places and "{{" not in english:
            other.format(**places)


@pytest.mark.parametrize("path", [p for r in ("ui", "pages", "app") for p in modules(r)], ids=name)
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


_SAYS = {"say", "said", "counted", "joined", "spinning"}
_SAYS |= {"getLogger", "compile", "TypeVar", "ParamSpec"}


def test_a_said_text_is_english_to_everything_but_a_screen():
    text = said("{n} of {total} graded", n=3, total=said("nine"))
    assert text == "3 of nine graded" and shown(text, ENGLISH) == "3 of nine graded"
    assert type(shown(text, ENGLISH)) is str
    again = pickle.loads(pickle.dumps(text))
    assert again == text and again.values["total"].template == "nine"


def test_a_text_is_shown_with_its_parts_in_the_same_language(monkeypatch):
    known = {"{n} of {what}": "{what}の{n}", "answers": "回答", ", ": "、", "none": "なし"}
    monkeypatch.setattr("words.language.words", lambda language: known)
    assert shown(said("{n} of {what}", n=3, what=said("answers")), "ja") == "回答の3"
    assert shown(said("{n} of {what}", n=3, what="answers"), "ja") == "answersの3"  # data
    assert shown(joined(", ", [said("answers"), "", "gpt-4"]), "ja") == "回答、gpt-4"
    assert shown(said("never heard {n}", n=1), "ja") == "never heard 1"


@pytest.mark.parametrize(
    ("language", "who", "n", "text"),
    [
        ("zh", "gpt-4", 192, "gpt-4 在 192 条中，由 gpt-4 评"),
        ("zh", "张三", "两", "张三在两条中，由张三评"),
        ("zh", "“gpt”", "１２", "“gpt”在１２条中，由“gpt”评"),
        ("zh", "42%", "$3", "42% 在 $3 条中，由 42% 评"),
        ("ja", "gpt-4", 192, "gpt-4在192条中，由gpt-4评"),
    ],
)
def test_chinese_has_a_space_where_another_script_meets_it(monkeypatch, language, who, n, text):
    known = {"{who}: {n}, {who}": "{who}在{n}条中，由{who}评"}
    monkeypatch.setattr("words.language.words", lambda language: known)
    assert shown(said("{who}: {n}, {who}", who=who, n=n), language) == text


def test_only_english_begins_with_another_letter(monkeypatch):
    monkeypatch.setattr("words.language.words", lambda language: {"grade {n}": "採点{n}"})
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
    python = "say('a {n}', n=1); words.said('b' if x else 'c'); counted(2, 'person', 'people')"
    assert [*spoken.in_python(python)] == ["a {n}", "b", "c", "{n:,} people"]
    assert [*spoken.in_python("counted(n, 'answer')")] == ["{n:,} answers"]
    assert [*spoken.in_script('say("d \\"e\\"", { n }); this.tell("f")')] == ['d "e"']
    page = '<p title="g">\n h\n</p><i></i><b aria-label="i &amp; j"></b>'
    assert [*spoken.in_page(page)] == ["g", "i & j", "h"]
    assert [*spoken.in_terms("# no\n\n### Kappa\nOne\ntwo.\n\nMore.")] == ["Kappa", "One two."]


def test_a_component_is_sent_its_own_words_and_none_in_english(tmp_path, monkeypatch):
    page = tmp_path / "page.html"
    page.write_text("<p>\n Language\n</p>")
    monkeypatch.setattr(language, "language", lambda: "ko")
    assert language.words_of((page,)) == {"Language": "언어"}
    monkeypatch.setattr(language, "language", lambda: ENGLISH)
    assert language.words_of((page,)) == {}
