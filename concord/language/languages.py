"""Languages: which ones Concord speaks, and how a text is said in one of them."""

import re
from datetime import date
from numbers import Real
from string import Formatter
from typing import Any

from concord.language.catalogues import translations
from concord.messages import Moment, Numeral, Translated, is_message, message_of

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


def shown(text: str, language: str) -> str:
    """A text in a language, as a plain str.

    A text that no catalogue holds, such as a name from the user's data, stays as it is; so does
    every message in English. Numbers are written as English writes them: all languages here do.
    """
    text = message_of(text)
    if isinstance(text, Translated):
        return text.in_language(language)
    if language == ENGLISH or not text or isinstance(text, Numeral):
        return str.__str__(text)
    if isinstance(text, Moment):
        day, space, time = text.partition(" ")
        return _day(date.fromisoformat(day), "medium", language) + space + time
    known = translations(language)
    if not is_message(text):
        return known.gettext(text) or text
    values = {
        name: _day(value, "long", language)
        if isinstance(value, date)
        else shown(value, language)
        if is_message(value) or isinstance(value, Moment | Translated)
        else value
        for name, value in text.values.items()
    }
    if text.template is None:
        # gettext answers "" with the catalogue's header.
        between = (text.between and known.gettext(text.between)) or text.between
        return between.join(map(str, values.values()))
    template = (
        known.ngettext(text.template, text.plural, text.values["n"])
        if text.plural
        else known.gettext(text.template)
    )
    if template is None:
        return str.__str__(text)
    if values and language == "ko":
        return _filled_korean(template, values)
    return template.format(**values) if values else template


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


def _day(day: date, length: str, language: str) -> str:
    from babel.dates import format_date

    return format_date(day, length, locale=language)


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


# In Japanese a number may follow a letter at once, so only letters of ASCII are part of a word.
_MINUS = re.compile(r"(?<![\w.-])-(?=[\d.$])", re.ASCII)


def with_minus(words: str, text: Any) -> str:
    """Return `words`, which show the message `text`, with a minus sign before its numbers."""
    for one in _numerals(text) if "-" in words else ():
        number = re.compile(rf"(?<![\w-]){re.escape(one)}", re.ASCII)
        words = number.sub(lambda found: _MINUS.sub("\N{MINUS SIGN}", found[0]), words)
    return words


def _numerals(text: Any) -> set[str]:
    """Return the numbers with a minus among the values of a message, as English writes them."""
    if isinstance(text, Numeral):
        return {str.__str__(text)} if _MINUS.search(text) else set()
    if not is_message(text):
        return set()
    places = Formatter().parse(text.template or "")
    formatted = {
        format(text.values[name], form)
        for _, name, form, _ in places
        if isinstance(text.values.get(name), Real) and text.values[name] < 0
    }
    return formatted.union(*map(_numerals, text.values.values()))
