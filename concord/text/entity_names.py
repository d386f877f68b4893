"""Names of entities: their forms, how they are displayed, and finding one in a text.

Pure. An entity is written as its forms joined by “ | ”. Two forms are one where they differ only in
Unicode form, case and white space.
"""

import re
from collections.abc import Iterable, Sequence

from concord.text.normal_form import normalised
from concord.text.tokens import HANGUL, UNSPACED

_BETWEEN = re.compile(r"\s*\|\s*")
_LETTER = rf"[^\W{UNSPACED}{HANGUL}]"


def written(entity: str) -> list[str]:
    """The forms of an entity as they are written, the fullest first."""
    return [form for form in _BETWEEN.split(entity.strip()) if form]


def forms(entity: str) -> frozenset[str]:
    """The forms of an entity, normalised."""
    return frozenset(map(normalised, written(entity)))


def all_forms(entities: Iterable[str]) -> frozenset[str]:
    """Return every form of several entities, normalised."""
    return frozenset().union(*map(forms, entities))


def spoken(entity: str) -> str:
    """The entity as it is displayed: the first form, and the others behind it."""
    first, *others = written(entity) or [entity]
    return f"{first} (also {', '.join(others)})" if others else first


def named(entity: str, text: str) -> bool:
    """True where a text contains a form of the entity as a whole word.

    Names in Chinese, Japanese, Thai and Korean, which no space separates from what follows, match
    anywhere.
    """
    held = normalised(text)
    return any(re.search(_alone(re.escape(form)), held) for form in forms(entity))


def passage(entity: str, texts: Sequence[str]) -> str:
    """Return the first form of the entity in one of the texts, as spelled there, or ''."""
    for form in written(entity):
        pattern = _alone(r"\s+".join(map(re.escape, form.split())))
        for text in texts:
            found = re.search(pattern, text, re.IGNORECASE)
            if found:
                return found.group()
    return ""


def _alone(pattern: str) -> str:
    """The pattern where no letter of an alphabet goes on before or behind it."""
    return rf"(?<!{_LETTER}(?={_LETTER})){pattern}(?!(?<={_LETTER}){_LETTER})"
