"""Seams: in Chinese, a space where a value of other letters or digits meets a Han letter.

Whether one is due depends on the value: none stands after 张三, one after gpt-4. So it is put when
the value is known, and templates need none at their places.
"""

import re
import unicodedata
from string import Formatter
from typing import Any

_HAN = re.compile(r"[\u3400-\u9fff]")
_BEFORE, _AFTER = frozenset(")]%`*"), frozenset("([$\\`*+-−±~≥≤<>")


def filled(template: str, values: dict[str, Any]) -> str:
    """`template.format(**values)`, with a space at every seam that is due one."""
    text = ""
    for literal, place, form, _ in Formatter().parse(template):
        text = _met(text, literal)
        if place is not None:
            text = _met(text, format(values[place], form))
    return text


def _met(before: str, after: str) -> str:
    return (
        f"{before} {after}" if before and after and _due(before[-1], after[0]) else before + after
    )


def _due(left: str, right: str) -> bool:
    if _HAN.match(left):
        return right in _AFTER or _other(right)
    return bool(_HAN.match(right)) and (left in _BEFORE or _other(left))


def _other(letter: str) -> bool:
    """Whether it is a letter or digit of a script that is not written in full width."""
    return letter.isalnum() and unicodedata.east_asian_width(letter) not in "WF"
