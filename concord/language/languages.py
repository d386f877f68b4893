"""Languages: which ones Concord speaks, and how a text is said in one of them."""

import re
from datetime import date
from decimal import Decimal
from gettext import NullTranslations
from numbers import Real
from string import Formatter
from typing import Any

from concord.language import filling
from concord.language.catalogues import translations
from concord.messages import Moment, Numeral, Said, Translated, is_message, message_of

ENGLISH = "en"
# Code as in BCP 47 -> the name by which those who read it know it.
LANGUAGES = {ENGLISH: "English", "zh": "中文", "ja": "日本語", "ko": "한국어"}
# Where the words around a value hang on the value itself.
_FILLED = {
    "zh": filling.filled_chinese,
    "ja": filling.filled_japanese,
    "ko": filling.filled_korean,
}


def shown(text: str, language: str) -> str:
    """A text in a language, as a plain str.

    A text that no catalogue holds, such as a name from the user's data, stays as it is; so does
    every message in English.
    """
    text = message_of(text)
    if isinstance(text, Translated):
        return text.in_language(language)
    if language == ENGLISH or not text:
        return str.__str__(text)
    if isinstance(text, Numeral):
        return filling.numeral(text, language)
    if isinstance(text, Moment):
        return _moment(text, language)
    known = translations(language)
    if not is_message(text):
        return known.gettext(text) or text
    values = {name: _value(value, language) for name, value in text.values.items()}
    if text.template is None:
        between = _between(text.between, known)
        if language in _FILLED and between.strip().isalpha():  # a word, as “or”
            return _FILLED[language](between.join(f"{{{name}}}" for name in values), values)
        return between.join(map(str, values.values()))
    template = _template(text, known)
    if template is None:
        return str.__str__(text)
    if values and language in _FILLED:
        return _FILLED[language](template, values)
    return template.format(**values) if values else template


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


def _template(text: Said, known: NullTranslations) -> str | None:
    """The template of a text in another language, for its number of things; None if it lacks it."""
    if text.plural:
        return known.ngettext(text.template, text.plural, text.values["n"])
    return known.gettext(text.template)


def _between(text: str, known: NullTranslations) -> str:
    """Return the translation of a separator. gettext answers `""` with the catalogue header."""
    translated = known.gettext(text) if text else None
    return text if translated is None else translated


def _weight(said: str) -> float:
    """Return the quality value of a language in Accept-Language, 0 to 1; 1 where absent."""
    return float(said) if re.fullmatch(r"[01](\.\d*)?", said) else float(not said)


def _value(value: Any, language: str) -> Any:
    """A value as the language writes it."""
    if isinstance(value, Real | Decimal):
        return filling.Number(value, language)
    if isinstance(value, date):
        from babel.dates import format_date

        return format_date(value, "long", locale=language)
    own = is_message(value) or isinstance(value, Numeral | Moment | Translated)
    return shown(value, language) if own else value


def _moment(text: Moment, language: str) -> str:
    """A date, or a date and time, as a language writes them in a table."""
    from babel.dates import format_date

    day, space, time = text.partition(" ")
    return format_date(date.fromisoformat(day), "medium", locale=language) + space + time


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
