"""Put a value into a template: numbers by locale, Korean particles, Chinese and Japanese spaces."""

import re
import unicodedata
from functools import cache
from string import Formatter
from typing import Any

_HAN = re.compile(r"[\u3400-\u9fff]")
# Kana, Han letters and the marks that repeat or lengthen them.
_JAPANESE = re.compile(r"[\u3005-\u3007\u3040-\u30fa\u30fc-\u30ff\u3400-\u9fff]")
# A word with a Latin letter at an end of a value, as in `gpt-4`; a number is none.
_LATIN_FIRST = re.compile(r"[!-~]*?[A-Za-z\u00c0-\u024f]")
_LATIN_LAST = re.compile(r"[A-Za-z\u00c0-\u024f][!-~]*$")


_MARKS = ("*", "`")
_BEFORE, _AFTER = frozenset(")]%`*"), frozenset("([$\\`*+-−±~≥≤<>")
# After a consonant, after a vowel.
_FORMS = {
    "을(를)": ("을", "를"),
    "은(는)": ("은", "는"),
    "이(가)": ("이", "가"),
    "와(과)": ("과", "와"),
    "(으)로": ("으로", "로"),
    "(이)라": ("이라", "라"),
}
_FORM = re.compile("[)\\]}”’*`]*(" + "|".join(map(re.escape, _FORMS)) + ")")
_ASIDE = re.compile(r"\s*(\([^()]*\)|\[[^\[\]]*\]|[”’*`])$")
_LAST_OF_DIGIT = dict(
    zip("0123456789", ("ng", "l", "", "m", "", "", "k", "l", "l", ""), strict=True)
)
# Words in the names of judges whose last letter does not tell: 저지, 지피티, 베이스라인, 샷.
_READ = {
    "judge": "",
    "gpt": "",
    "claude": "",
    "large": "",
    "base": "",
    "baseline": "x",
    "shot": "x",
}
_LATIN_WORD = re.compile(r"[A-Za-z]+$")
_FIRST, _LAST, _ENDINGS, _L = 0xAC00, 0xD7A3, 28, 8


# A decimal point or a thousands separator, the comma of an interval or list, a percent sign.
_IN_NUMBERS = re.compile(r"(?<=\d)[.,](?=\d)|(?<=[\d%]), (?=[-+−<>]*\d)|(?<=\d)%")


class Number:
    """A number that the format of its place writes as a language does."""

    def __init__(self, value: Any, language: str):
        self.value, self.language = value, language

    def __format__(self, form: str) -> str:
        return numeral(format(self.value, form), self.language)

    def __str__(self) -> str:
        return format(self, "")


def numeral(text: str, language: str) -> str:
    """Numbers as English writes them, as a language does.

    Only the signs differ, so that English decides how many digits there are, in every language. The
    commas between numbers are semicolons where a comma is the decimal point.
    """
    signs = _signs(language)
    return _IN_NUMBERS.sub(lambda found: signs[found[0]], text) if signs else text


def separators(language: str) -> str:
    """Return the decimal point and the thousands separator of a language, as Plotly takes them."""
    signs = _signs(language)
    return signs.get(".", ".") + signs.get(",", ",")


@cache
def _signs(language: str) -> dict[str, str]:
    """Return the signs of CLDR for those of English; empty where they are the same."""
    from babel import Locale

    locale = Locale.parse(language)
    symbols = locale.number_symbols["latn"]
    point, percent = symbols["decimal"], locale.percent_formats[None].suffix[0]
    signs = {".": point, ",": symbols["group"], ", ": "; " if point == "," else ", ", "%": percent}
    return {} if all(ours == theirs for ours, theirs in signs.items()) else signs


def filled_chinese(template: str, values: dict[str, Any]) -> str:
    """`template.format(**values)`, with a space at every seam that is due one."""
    text = ""
    for literal, place, form, _ in Formatter().parse(template):
        closed = _closing(text, literal)
        # Within the marks of bold type or code a space would show the marks themselves.
        text = text + closed if literal.startswith(_MARKS) else _met(text, closed)
        if place is not None:
            value = format(values[place], form)
            text = text + value if literal.endswith(_MARKS) else _met(text, value)
    return text


def _met(before: str, after: str) -> str:
    return (
        f"{before} {after}" if before and after and _due(before[-1], after[0]) else before + after
    )


def _closing(before: str, literal: str) -> str:
    """Return a literal that ends bold type, such as `**은`, so that Markdown ends it there.

    Between a bracket and a letter without a space it does not: what shows nothing goes before.
    """
    ends = literal.startswith("**") and literal[2:3].isalnum()
    apart = ends and unicodedata.category(before[-1:] or "a")[0] in "PS"
    return f"\N{ZERO WIDTH SPACE}{literal}" if apart else literal


def _due(left: str, right: str) -> bool:
    if _HAN.match(left):
        return right in _AFTER or _other(right)
    return bool(_HAN.match(right)) and (left in _BEFORE or _other(left))


def _other(letter: str) -> bool:
    """True for a letter or digit of a script that is not full width."""
    return letter.isalnum() and unicodedata.east_asian_width(letter) not in "WF"


def filled_japanese(template: str, values: dict[str, Any]) -> str:
    """`template.format(**values)`, with a space only where a Latin word meets Japanese text."""
    text = before = ""
    for literal, place, form, _ in Formatter().parse(template):
        value = "" if place is None else format(values[place], form)
        text += _closing(text, _spaced(before, literal, value)) + value
        before = value
    return text


def _spaced(before: str, literal: str, after: str) -> str:
    """Return a literal between two values with the spaces due at its ends."""
    first, last = literal.removeprefix(" ")[:1], literal.removesuffix(" ")[-1:]
    if before and _JAPANESE.match(first):
        literal = " " * bool(_LATIN_LAST.search(before)) + literal.removeprefix(" ")
    if after and _JAPANESE.match(last):
        literal = literal.removesuffix(" ") + " " * bool(_LATIN_FIRST.match(after))
    return literal


def filled_korean(template: str, values: dict[str, Any]) -> str:
    """`template.format(**values)`, with the particles that follow a value in the form it takes."""
    text, value = "", False
    for literal, place, form, _ in Formatter().parse(template):
        text += _closing(text, _fitting(text, literal)) if value else literal
        value = place is not None
        if value:
            text += format(values[place], form)
    return text


def _fitting(before: str, literal: str) -> str:
    found = _FORM.match(literal)
    ending = _ending(before + literal[: found.start(1)]) if found else None
    if found is None or ending is None:
        return literal
    after_consonant, after_vowel = _FORMS[found[1]]
    vowel = not ending or (ending == "l" and found[1] == "(으)로")
    particle = after_vowel if vowel else after_consonant
    return literal[: found.start(1)] + particle + literal[found.end(1) :]


def _ending(text: str) -> str | None:
    """The consonant a text ends with when read aloud: `l`, another, none (``), or None: unknown."""
    while found := _ASIDE.search(text):
        text = text[: found.start()]
    last = text[-1:]
    if last == "%":
        return ""  # 퍼센트
    if last and _FIRST <= ord(last) <= _LAST:
        ending = (ord(last) - _FIRST) % _ENDINGS
        return "l" if ending == _L else "x" if ending else ""
    latin = _LATIN_WORD.search(text)
    return _latin_ending(latin[0]) if latin else _LAST_OF_DIGIT.get(last)


def _latin_ending(word: str) -> str | None:
    """The same of a Latin word; None where its letters do not tell, as of `strict` and `sonnet`."""
    if word.lower() in _READ:
        return _READ[word.lower()]
    last = word[-1].lower()
    if word.isupper() or len(word) == 1:  # spelled out: 엘, 알, 엠, 엔
        return "l" if last in "lr" else "x" if last in "mn" else ""
    if last in "lmn" or word.lower().endswith(("ng", "le")):
        return "l" if last in "le" else "x"
    return "" if last in "aiouyfhjrsvwxz" else None
