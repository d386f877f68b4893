"""Dictionaries of answers: an object under each answering model, and what is inside."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from concord.importing import column_paths
from concord.importing.proposals import name_words as known
from concord.importing.proposals.column_profile import Profile, profile

_MOST_KEYS = 60
_TEXT = frozenset(["text", "string", "content", "body", "message"])
KEY = "{answer_model}"


class Answers(NamedTuple):
    """Answers under keys: the paths to the answer and to what else each key holds."""

    column: str
    keys: tuple[str, ...]
    answer: str
    others: Mapping[str, Profile]


def answers_by_key(profiles: Mapping[str, Profile]) -> list[Answers]:
    """Return every dictionary that holds one answer per key."""
    found = [_in_cells(one) for one in profiles.values() if one.lists]
    return [one for one in (*found, *_in_columns(profiles)) if one]


def scores_by_key(one: Profile) -> tuple[tuple[str, ...], Profile] | None:
    """The keys of a dictionary with one score under each, and these; `{}` is the key's place."""
    keys, pairs = _pairs(one)
    if not keys:
        return None
    if all(not isinstance(value, dict | list) for _, value in pairs):
        found = profile(f"{one.name}.{{}}", (column_paths.as_cell(value) for _, value in pairs))
        return (keys, found) if found.is_number else None
    if not all(isinstance(value, dict) for _, value in pairs):
        return None
    inner = dict.fromkeys(key for _, value in pairs for key in value)
    paths = [_profile(f"{one.name}.{{}}.{key}", pairs, key) for key in [*inner][:_MOST_KEYS]]
    scored = [found for found in paths if found.is_number and not found.lists]
    return (keys, scored[0]) if len(scored) == 1 else None


def _pairs(one: Profile) -> tuple[tuple[str, ...], list[tuple[str, object]]]:
    """The keys of a column of dictionaries, with what is under each; none where it is no such."""
    held = [column_paths.structured(cell) for cell in one.values]
    cells = [cell for cell in held if isinstance(cell, dict)]
    pairs = [(k, v) for cell in cells for k, v in cell.items() if v is not None]
    keys = tuple(dict.fromkeys(key for key, _ in pairs))
    if not cells or len(cells) < one.lists or not 1 < len(keys) <= _MOST_KEYS:
        return (), []
    return keys, pairs


def _in_cells(one: Profile) -> Answers | None:
    """A column of dictionaries with the same inner keys under each key, or a text under each."""
    keys, pairs = _pairs(one)
    if not keys:
        return None
    if all(isinstance(value, str) for _, value in pairs):
        path = f"{one.name}.{KEY}"
        texts = profile(path, (value for _, value in pairs))
        is_named = known.has(known.words(one.name), known.ANSWER)
        return Answers(one.name, keys, path, {}) if texts.is_prose and is_named else None
    if not all(isinstance(value, dict) for _, value in pairs):
        return None
    inner = dict.fromkeys(key for _, value in pairs for key in value)
    if len(inner) > _MOST_KEYS:
        return None
    by_path = {
        f"{one.name}.{KEY}.{key}": _profile(f"{one.name}.{KEY}.{key}", pairs, key) for key in inner
    }
    answer = _answer(by_path)
    if answer is None:
        return None
    return Answers(one.name, keys, answer, {p: f for p, f in by_path.items() if p != answer})


def _profile(path: str, pairs: Sequence[tuple[str, dict]], key: str) -> Profile:
    return profile(path, (column_paths.as_cell(value.get(key)) for _, value in pairs))


def _answer(inner: Mapping[str, Profile]) -> str | None:
    """The path to the answer: the only prose, or the only one of that name."""
    prose = [path for path, found in inner.items() if found.is_prose]
    named = [
        path
        for path in prose
        if known.has(known.words(known.last(path)), known.ANSWER | _TEXT)
        and not known.has(known.words(known.last(path)), known.REFERENCE)
    ]
    chosen = named if named else prose
    return chosen[0] if len(chosen) == 1 else None


def _in_columns(profiles: Mapping[str, Profile]) -> list[Answers]:
    """Columns `answers.MODEL`, or `MODEL_answer`, of which each holds prose."""
    patterns: dict[str, list[tuple[str, str]]] = {}
    for name, found in profiles.items():
        if found.is_prose:
            for pattern, key in _patterns(name):
                patterns.setdefault(pattern, []).append((key, name))
    return [
        Answers(pattern, tuple(key for key, _ in hits), pattern, _beside(pattern, hits, profiles))
        for pattern, hits in patterns.items()
        if len(hits) > 1
    ]


def _patterns(name: str) -> list[tuple[str, str]]:
    """(pattern, key): the name of a column with a placeholder beside a word for an answer."""
    found = []
    for mark in (".", "_", " ", "-"):
        before, _, after = name.partition(mark)
        start, _, end = name.rpartition(mark)
        if start and _says_answer(end) and _is_key(start):
            found.append((f"{KEY}{mark}{end}", start))
        elif after and _says_answer(before) and _is_key(after):
            found.append((f"{before}{mark}{KEY}", after))
    return found[:1]


def _is_key(word: str) -> bool:
    parts = known.words(word)
    return bool(parts) and not known.has(parts, known.REFERENCE | known.QUESTION | known.ID)


def _says_answer(word: str) -> bool:
    return known.all_in(known.words(word), known.ANSWER)


def _beside(pattern, hits, profiles) -> dict[str, Profile]:
    """Other columns of the same keys, as `gpt_score` beside `gpt_answer`, under their pattern."""
    keys = [key for key, _ in hits]
    others = {}
    for mark in ("_", ".", " ", "-"):
        for name in profiles:
            if name.startswith(f"{keys[0]}{mark}"):
                rest = name.removeprefix(keys[0])
                members = [profiles.get(f"{key}{rest}") for key in keys]
                path = f"{KEY}{rest}"
                if path != pattern and all(members):
                    values = [cell for one in members for cell in one.values]
                    others[path] = profile(path, values)
    return others
