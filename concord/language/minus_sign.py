"""The minus sign of negative numbers in what is read as a page, as charts write it."""

import re
from numbers import Real
from string import Formatter
from typing import Any

from concord.messages import Numeral, is_message

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
