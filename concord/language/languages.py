"""Languages: which ones Concord speaks, and how a text is said in one of them.

Each has a catalogue, `locale/CODE/LC_MESSAGES/concord.po`, which is read as it is when it is first
needed: who translates sees a change at the next start, and nothing has to be compiled.
"""

import re
from collections.abc import Callable
from datetime import date
from functools import cache
from gettext import c2py
from pathlib import Path
from string import Formatter
from typing import Any

LOCALE = Path(__file__).parent / "locale"
ENGLISH = "en"
# Code as in BCP 47 -> the name by which those who read it know it.
LANGUAGES = {ENGLISH: "English", "zh": "中文", "ja": "日本語", "ko": "한국어"}
# After a consonant, after a vowel. After a word in another script both forms stand.
_PARTICLES = {
    "을(를)": ("을", "를"),
    "은(는)": ("은", "는"),
    "이(가)": ("이", "가"),
    "와(과)": ("과", "와"),
    "(으)로": ("으로", "로"),
    "(이)라": ("이라", "라"),
}
_PARTICLE = re.compile("([)\\]}”’*`]*)(" + "|".join(map(re.escape, _PARTICLES)) + ")")
# The last consonant of a digit or a syllable that is read aloud: none, another, or `l` (ㄹ).
_DIGITS = dict(zip("0123456789%", "xl-x--xll--", strict=True))


@cache
def catalogue(language: str):
    """Return the `babel.messages.Catalog` of a language."""
    from babel.messages.pofile import read_po  # who reads English never needs it

    path = LOCALE / language / "LC_MESSAGES" / "concord.po"
    with path.open("rb") as file:
        return read_po(file, locale=language)


def translate(template: str, language: str, plural: str = "", /, **values: Any) -> str:
    """Return a text in a language: its template, filled with values.

    A template that no catalogue holds stays English, as all do in English. Numbers are written as
    English writes them, and a `date` as the language does. `plural` is the template for several,
    where `template` is for one and the value `n` counts. Braces are places only where there are
    values.
    """
    english = plural if plural and values["n"] != 1 else template
    known = None if language == ENGLISH else catalogue(language)
    # Babel answers "" with the catalogue's header.
    found = known.get((template, plural) if plural else template) if known and template else None
    if not found or not found.string or not found.string[0]:
        return english.format(**values) if values else english
    from babel.dates import format_date

    text = found.string[c2py(known.plural_expr)(values["n"])] if plural else found.string
    if not values:
        return text
    values = {
        name: format_date(value, "long", locale=language) if isinstance(value, date) else value
        for name, value in values.items()
    }
    return _filled_korean(text, values) if language == "ko" else text.format(**values)


# Set by the screens: the language of who reads what is said now.
_languages: list[Callable[[], str]] = []


def read_by(language: Callable[[], str]) -> None:
    """Let texts be said in the language that this returns when they are; English before."""
    _languages[:] = [language]


def reader() -> str:
    """The language that texts are said in now."""
    return _languages[0]() if _languages else ENGLISH


def _filled_korean(template: str, values: dict[str, Any]) -> str:
    """Return `template.format(**values)` with each particle after a value in the form it takes."""
    filled = ""
    after_value = False
    for literal, place, form, _ in Formatter().parse(template):
        found = _PARTICLE.match(literal) if after_value else None
        last = filled.rstrip(")]}”’*`")[-1:]
        ending = _DIGITS.get(last)
        if "가" <= last <= "힣":
            ending = {0: "-", 8: "l"}.get((ord(last) - ord("가")) % 28, "x")
        if found and ending:
            vowel = ending == "-" or (ending == "l" and found[2] == "(으)로")
            literal = found[1] + _PARTICLES[found[2]][vowel] + literal[found.end() :]
        filled += literal
        after_value = place is not None
        if after_value:
            filled += format(values[place], form)
    return filled


def nearest(locale: str | None) -> str:
    """The language for what a browser asks for, as `ko-KR` or `zh_TW`; English for any other."""
    code = (locale or "").replace("_", "-").split("-")[0].lower()
    return code if code in LANGUAGES else ENGLISH


def accepted(header: str) -> str:
    """The language for a browser's Accept-Language, as `fr, ko;q=0.8, en;q=0.5`: the first spoken.

    English where none of them is spoken.
    """
    parts = (part.partition(";q=") for part in header.replace(" ", "").split(","))
    wanted = sorted(parts, key=lambda part: -_weight(part[2]))
    codes = (locale.split("-")[0].lower() for locale, _, said in wanted if _weight(said))
    return next((code for code in codes if code in LANGUAGES), ENGLISH)


def _weight(said: str) -> float:
    """Return the quality value of a language in Accept-Language, 0 to 1; 1 where absent."""
    return float(said) if re.fullmatch(r"[01](\.\d*)?", said) else float(not said)
