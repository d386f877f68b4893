"""Said: an English text that remembers how it was made, so that a screen can say it otherwise.

It is a plain English `str` to everything else: equal to it, stored as it, written as it. What is
pasted into an f-string, or changed by a method of `str`, is English only; so sentences are made of
one another by `said` and `joined`.
"""

from collections.abc import Callable, Iterable
from typing import Any


class Said(str):
    """An English text with the template it was made from and what was put in.

    `template` is None for parts that are only strung together: `values` are then the parts, under
    the names `0`, `1`, …, and `between` stands between them.
    """

    template: str | None
    values: dict[str, Any]
    between: str

    def __new__(
        cls, english: str, template: str | None, values: dict[str, Any], between: str = ""
    ) -> "Said":
        """The English, and how it was made."""
        made = super().__new__(cls, english)
        made.template, made.values, made.between = template, values, between
        return made

    def __getnewargs__(self) -> tuple[str, str | None, dict[str, Any], str]:
        return str.__str__(self), self.template, self.values, self.between

    def __str__(self) -> str:
        return self


class Renamed(Said):
    """A text in which, in every language, one noun stands where it says another.

    `values` are `text`, the nouns `old` and `new`, and `kept`, a name that holds the old noun and
    stays: an answering model is none, whatever is said instead of an answer.
    """

    @staticmethod
    def put(text: str, old: str, new: str, kept: str) -> str:
        """The text of a language with the nouns of that language."""
        return kept.join(part.replace(old, new) for part in text.split(kept))


def said(template: str, /, **values: Any) -> Said:
    """A text of the interface: `said("{n} of {total} graded", n=3, total=9)`.

    The template is the key under which each language has its own words, so it is written out where
    it is said. A value that is itself said is shown in the same language; any other is data and
    shown as it is. Braces count as places only where there are values.
    """
    return Said(template.format(**values) if values else template, template, values)


def joined(between: str, parts: Iterable[str]) -> Said:
    """Texts strung together, as `between.join(parts)`; empty ones are left out.

    What stands between is itself translated: Chinese has no space between sentences.
    """
    kept = [part for part in parts if part]
    values = {str(place): part for place, part in enumerate(kept)}
    return Said(between.join(kept), None, values, between)


def capital(text: str) -> str:
    """A text as a sentence begins; languages without capitals say it as it is."""
    return _begun(text, str.upper)


def small(text: str) -> str:
    """A text as the middle of a sentence begins."""
    return _begun(text, str.lower)


def _begun(text: str, letter: Callable[[str], str]) -> str:
    english = letter(text[:1]) + text[1:]
    if not isinstance(text, Said):
        return english
    return type(text)(english, text.template, text.values, text.between)


def short(english: str, meant: Said) -> Said:
    """A word that means several things in English, said otherwise as what is meant here."""
    return Said(english, meant.template, meant.values)
