"""Languages: which ones Concord speaks, and how a text is said in one of them."""

import re
import tomllib
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from words import particles, seams
from words.said import Renamed, Said
from words.stored import again

ENGLISH = "en"
# Code as in BCP 47 -> the name by which those who read it know it.
LANGUAGES = {ENGLISH: "English", "zh": "中文", "ja": "日本語", "ko": "한국어"}
_FOLDER = Path(__file__).parent
# Where the words around a value hang on the value itself.
_FILLED = {"zh": seams.filled, "ko": particles.filled}


def shown(text: str, language: str) -> str:
    """A text in a language, as a plain str.

    A text that no file of words holds, such as a name from the user's data, stays as it is; so
    does every text in English. `said(text)` of a text of ours that was stored finds its template.
    """
    if language == ENGLISH:
        return str.__str__(text)
    known = words(language)
    if not isinstance(text, Said):
        return known.get(text, text)
    values = {name: _value(value, language) for name, value in text.values.items()}
    if isinstance(text, Renamed):
        put = particles.put if language == "ko" else text.put
        return put(**values)
    if text.template is None:
        return known.get(text.between, text.between).join(map(str, values.values()))
    template = known.get(text.template)
    if template is None:
        stored = None if values else _again(str.__str__(text), language)
        return shown(stored, language) if stored else str.__str__(text)
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


@cache
def words(language: str) -> dict[str, str]:
    """Every text of a language by its English; nothing for English itself."""
    if language == ENGLISH:
        return {}
    return tomllib.loads((_FOLDER / f"{language}.toml").read_text(encoding="utf-8"))


@lru_cache(maxsize=4096)
def _again(text: str, language: str) -> Said | None:
    return again(text, words(language))


def _weight(said: str) -> float:
    """How much a language is wanted, 0 to 1; 1 where nothing is said of it."""
    return float(said) if re.fullmatch(r"[01](\.\d*)?", said) else float(not said)


def _value(value: Any, language: str) -> Any:
    return shown(value, language) if isinstance(value, Said) else value
