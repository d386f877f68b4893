"""Stored: a text of the interface that came back from storage as English and nothing more.

What was said with values is told again from its template, by the words that stand between them.
"""

import re
from collections.abc import Iterable
from functools import cache

from words.said import Said

_PLACE = re.compile(r"\{(\w+)[^{}]*\}")
_ENOUGH = 12  # letters between the values; fewer would fit texts that are not ours


class _Value(str):
    """A value as it was written: it keeps its form whatever form the template asks for."""

    def __format__(self, form: str) -> str:
        return str(self)


def again(text: str, templates: Iterable[str]) -> Said | None:
    """The text as `words.said` would have made it, by the template that says most of it.

    Values of several words may be texts of ours too; a single word or figure is data. None where
    no template fits.
    """
    fits = [one for one in templates if _may_fit(one, text) and _pattern(one).fullmatch(text)]
    if not fits:
        return None
    template = max(fits, key=_letters)
    found = _pattern(template).fullmatch(text).groupdict()
    return Said(text, template, {name: _value(value) for name, value in found.items()})


def _value(text: str) -> str:
    return Said(text, text, {}) if " " in text else _Value(text)


def _may_fit(template: str, text: str) -> bool:
    """Whether it has places, says enough, and begins and ends as the text does."""
    if "{" not in template:
        return False
    begin, end = template[: template.index("{")], template[template.rindex("}") + 1 :]
    return text.startswith(begin) and text.endswith(end) and _letters(template) >= _ENOUGH


def _letters(template: str) -> int:
    return len(_PLACE.sub("", template))


@cache
def _pattern(template: str) -> re.Pattern:
    """What a text made from a template looks like; a value that stands twice is the same twice."""
    parts, known, at = [], set(), 0
    for place in _PLACE.finditer(template):
        name = place[1]
        parts.append(re.escape(template[at : place.start()]))
        parts.append(f"(?P={name})" if name in known else f"(?P<{name}>.+?)")
        known.add(name)
        at = place.end()
    return re.compile("".join([*parts, re.escape(template[at:])]), re.DOTALL)
