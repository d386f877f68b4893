"""Dictionaries of answers: an object under each answering model, and what is inside.

A list of objects that hold their names, as `[{"model": "a", "text": "..."}]`, is a dictionary too.
Short answers, as "Paris" or "42", could be grades as well: rating words and numbers are taken for
answers only where their keys name models, and nothing else in the file could be the answer.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from concord.importing import column_paths
from concord.importing.proposals import name_words
from concord.importing.proposals import name_words as known
from concord.importing.proposals.column_profile import Profile, are_ratings, profile

_MOST_KEYS = 60
_TEXT = frozenset(["text", "string", "content", "body", "message"])
KEY = "{answer_model}"


class Answers(NamedTuple):
    """Answers under keys: the paths to the answer and to what else each key holds.

    `key` is the placeholder of the paths.
    """

    column: str
    keys: tuple[str, ...]
    answer: str
    others: Mapping[str, Profile]
    key: str = KEY


class Scores(NamedTuple):
    """Scores under keys: the paths to them, with `{}` in the place of the key.

    `name` is what the objects of a list call their key; '' in a dictionary. `second` is what else
    names a grader or a criterion of each score, `reason` the path to its reason; '' for nothing.
    """

    keys: tuple[str, ...]
    inner: tuple[Profile, ...]
    name: str
    second: str = ""
    reason: str = ""


class _Keyed(NamedTuple):
    """What is under each key, over all cells; `name` as in `Scores`."""

    keys: tuple[str, ...]
    pairs: Sequence[tuple[str, object]]
    name: str


def answers_by_key(profiles: Mapping[str, Profile]) -> list[Answers]:
    """Return every dictionary that holds one answer per key.

    Where none holds prose, those that are named as answers hold short ones, as "Paris".
    """
    dictionaries = [
        one
        for one in profiles.values()
        if one.lists and not known.has(known.words(known.last(one.name)), known.SCORE)
    ]
    others = may_be_others(profiles.values())
    for is_short in (False, True):
        found = [_in_cells(one, is_short, others) for one in dictionaries]
        if any(found := [*found, *_in_columns(profiles, is_short, others)]):
            return [one for one in found if one]
    return []


def only_model(answer: str, columns: Sequence[str]) -> tuple[str, str]:
    """Where all columns below `answers` are below `answers.gpt-4.`, that prefix and `gpt-4`.

    The key of one answering model is recognised by a digit, or by being known as a judge's.
    """
    outer, _, rest = answer.partition(".")
    model = rest.rpartition(".")[0]
    prefix = f"{outer}.{model}."
    is_named = known.has(known.words(outer), known.ANSWER) and "{" not in answer
    is_model = any(map(str.isdigit, model)) or known.has(known.words(model), known.JUDGE)
    below = [name for name in columns if name.startswith(f"{outer}.")]
    is_only = is_named and is_model and all(name.startswith(prefix) for name in below)
    return (prefix, model) if is_only else ("", "")


def scores_by_key(one: Profile) -> Scores | None:
    """The scores under each key of a dictionary, or of a list of objects."""
    found = _keyed(one, known.WHO | known.CRITERION | known.MODEL)
    if not found:
        return None
    keys, pairs, name = found
    if all(not isinstance(value, dict | list) for _, value in pairs):
        inner = profile(f"{one.name}.{{}}", (column_paths.as_cell(value) for _, value in pairs))
        return Scores(keys, (inner,), name) if _may_be_scores(inner) else None
    if not all(isinstance(value, dict) for _, value in pairs):
        return None
    parts = dict.fromkeys(key for _, value in pairs for key in value)
    paths = [_profile(f"{one.name}.{{}}.{key}", pairs, key) for key in [*parts][:_MOST_KEYS]]
    scored = [inner for inner in paths if _may_be_scores(inner)]
    named = [one for one in scored if known.has(known.words(known.last(one.name)), known.SCORE)]
    scored = named if len(named) == 1 else scored
    others = [key for key in parts if f"{one.name}.{{}}.{key}" not in {s.name for s in scored}]
    second = next(filter(_names_grader_or_criterion, others), "")
    why = [o for o in paths if o.texts and known.has(known.words(known.last(o.name)), known.REASON)]
    reason = why[0].name if len(why) == 1 and why[0] not in scored else ""
    return Scores(keys, tuple(scored), name, second, reason) if scored else None


def unlike_scores(one: Profile) -> list[Profile]:
    """The scores under each key of a dictionary, by path, where these are not on one scale."""
    found = _keyed(one, known.WHO | known.CRITERION | known.MODEL)
    if not found or found.name or not known.has(known.words(one.name), known.SCORE):
        return []
    scored = []
    for key in (key for key in found.keys if "." not in key):
        own = [value for name, value in found.pairs if name == key]
        path = f"{one.name}.{key}"
        inner = [profile(path, map(column_paths.as_cell, own))]
        if all(isinstance(value, dict) for value in own):
            pairs = [(key, value) for value in own]
            names = dict.fromkeys(name for value in own for name in value)
            named = [name for name in names if known.all_known(known.words(name), known.SCORE)]
            inner = [_profile(f"{path}.{name}", pairs, name) for name in named]
        scored += [each for each in inner[:1] if each.texts and _may_be_scores(each)]
    return scored if len(scored) > 1 else []


def _may_be_scores(one: Profile) -> bool:
    """True for rating words, and for numbers on a scale that is not longer than usual ones."""
    if not one.is_number or one.lists:
        return not one.lists and are_ratings(one.texts)
    return -10 <= min(one.numbers) <= max(one.numbers) <= 100


def reasons_by_key(one: Profile, names: Sequence[Profile]) -> str:
    """The path to texts under each key of a column that is named like reasons; '' for none.

    `names` are the columns of lists that name the graders of scores at the same places.
    """
    if not known.has(known.words(one.name), known.REASON):
        return ""
    held = [column_paths.structured(cell) for cell in one.values]
    for other in names:
        called = [column_paths.structured(cell) for cell in other.values]
        if all(_is_beside(*pair) for pair in zip(held, called, strict=True)):
            return f"{one.name}.{{{other.name}}}"
    found = _keyed(one, known.WHO)
    if not found or not found.name or not all(isinstance(value, dict) for _, value in found.pairs):
        return ""
    texts = [key for _, value in found.pairs for key, part in value.items() if _is_text(part)]
    keys = dict.fromkeys(texts)
    return f"{one.name}.{{{found.name}}}.{texts[0]}" if len(keys) == 1 else ""


def _is_text(part: object) -> bool:
    return isinstance(part, str) and " " in part.strip()


def _names_grader_or_criterion(key: str) -> bool:
    who = known.WHO | known.CRITERION
    return known.has(known.words(key), who) and known.all_known(known.words(key), who | known.ID)


def only_values(one: Profile) -> Profile | None:
    """The values in lists of one each, under a path: `rating.0.value` for `[{"value": 4}]`."""
    held = [column_paths.structured(cell) for cell in one.values]
    lists = [cell for cell in held if isinstance(cell, list) and cell]
    keys = {key for cell in lists for part in cell if isinstance(part, dict) for key in part}
    if not lists or len(lists) < one.filled or any(len(cell) > 1 for cell in lists):
        return None
    rest = f"0.{next(iter(keys))}" if len(keys) == 1 else "0"
    found = (column_paths.as_cell(column_paths.follow(cell, rest, {})) for cell in held)
    inner = profile(f"{one.name}.{rest}", found)
    return inner if inner.texts and not inner.lists else None


def only_text(one: Profile) -> Profile | None:
    """The texts of lists of one object each, under a path: `completions.0.text`."""
    lists = [column_paths.structured(cell) for cell in one.values]
    if not all(isinstance(c, list) and len(c) == 1 and isinstance(c[0], dict) for c in lists):
        return None
    for key in _TEXT.intersection(*lists[0][:1]) if lists else ():
        inner = profile(f"{one.name}.0.{key}", (column_paths.as_cell(c[0].get(key)) for c in lists))
        if inner.is_prose:
            return inner
    return None


def named_answers(free: Sequence[Profile]) -> list[Profile]:
    """Columns that are named as the answer and are no prose: lists of one text, or short texts."""
    lists = [one for one in free if one.is_list]
    named = [one for one in lists if known.has(known.significant_words(one.name), known.ANSWER)]
    return [inner for inner in map(only_text, named) if inner] or short_answers(free)


def short_texts_of_models(free: Sequence[Profile]) -> list[Profile]:
    """Columns of short texts under the name of a model."""
    return by_model(free)


def scores_in_lists(one: Profile, names: Sequence[Profile]) -> Scores | None:
    """Scores in lists, each with its grader at the same place of a list in one of other columns."""
    lists = [column_paths.structured(cell) for cell in one.values]
    if not one.lists or not all(isinstance(cell, list) for cell in lists if cell is not None):
        return None
    values = [value for cell in lists for value in cell or ()]
    inner = profile(f"{one.name}.{{}}", map(column_paths.as_cell, values))
    is_named = known.has(known.words(one.name), known.SCORE | known.CRITERIA | known.HUMAN)
    if not is_named or not inner.is_number or inner.lists:
        return None
    found = {}
    for other in names:
        called = [column_paths.structured(cell) for cell in other.values]
        if all(_is_beside(*pair) for pair in zip(lists, called, strict=True)):
            found[other.name] = tuple(dict.fromkeys(key for cell in called for key in cell or ()))
    graders = [name for name in found if known.has(known.words(name), known.WHO)]
    if not graders:
        return None
    own = next((name for name in graders if name.startswith(one.name)), graders[0])
    second = next((name for name in found if found[name] != found[own]), "")
    return Scores(found[own], (inner,), own, second)


def _is_beside(values: object, names: object) -> bool:
    if values is None or names is None:
        return values is names
    is_list = isinstance(names, list) and isinstance(values, list) and len(names) == len(values)
    return is_list and name_words.are_names(names)


def _keyed(one: Profile, names: frozenset[str]) -> _Keyed | None:
    """What a column of dictionaries, or of lists of named objects, has under each key."""
    if not one.name:  # what is inside has no path that could be written
        return None
    held = [column_paths.structured(cell) for cell in one.values]
    name = ""
    if any(isinstance(cell, list) for cell in held):
        lists = [cell for cell in held if isinstance(cell, list)]
        name = name_words.naming(lists, names) if len(lists) == one.lists else ""
        if not name:
            return None
        held = [column_paths.children(cell, name) for cell in lists]
    cells = [cell for cell in held if isinstance(cell, dict)]
    pairs = [(k, _without(v, name)) for cell in cells for k, v in cell.items() if v is not None]
    keys = tuple(dict.fromkeys(key for key, _ in pairs))
    if not cells or len(cells) < one.lists or not (1 if name else 2) <= len(keys) <= _MOST_KEYS:
        return None
    return _Keyed(keys, pairs, name)


def _without(value: object, name: str) -> object:
    return {k: v for k, v in value.items() if k != name} if isinstance(value, dict) else value


def _in_cells(one: Profile, is_short: bool, others: bool) -> Answers | None:
    """A column of dictionaries with the same inner keys under each key, or a text under each."""
    found = _keyed(one, known.MODEL)
    if not found:
        return None
    keys, pairs, name = found
    key = f"{{{name}}}" if name else KEY
    path = f"{one.name}.{key}"
    if not any(isinstance(value, dict | list) for _, value in pairs):
        texts = profile(path, (column_paths.as_cell(value) for _, value in pairs))
        is_named = known.has(known.words(one.name), known.ANSWER)
        fits = texts.is_prose
        if is_short:
            fits = are_of_models(one.name, keys, [texts], others)
        return Answers(one.name, keys, path, {}, key) if fits and is_named else None
    if not all(isinstance(value, dict) for _, value in pairs):
        return None
    by_path = _inside(path, [value for _, value in pairs])
    answer = _answer(by_path, is_short)
    if answer is None:
        return None
    others = {p: f for p, f in by_path.items() if p != answer}
    return Answers(one.name, keys, answer, others, key)


def _inside(path: str, objects: Sequence[dict], levels: int = 2) -> dict[str, Profile]:
    """The values in objects by path; an object inside is opened too."""
    inner = dict.fromkeys(key for value in objects for key in value)
    found: dict[str, Profile] = {}
    for key in inner if len(inner) <= _MOST_KEYS else ():
        values = [value.get(key) for value in objects]
        parts = [value for value in values if value is not None]
        if levels > 1 and parts and all(isinstance(part, dict) for part in parts):
            below = [value or {} for value in values]
            found |= _inside(f"{path}.{key}", below, levels - 1)
        found[f"{path}.{key}"] = profile(f"{path}.{key}", map(column_paths.as_cell, values))
    return found


def _profile(path: str, pairs: Sequence[tuple[str, dict]], key: str) -> Profile:
    return profile(path, (column_paths.as_cell(value.get(key)) for _, value in pairs))


def _answer(inner: Mapping[str, Profile], is_short: bool) -> str | None:
    """The path to the answer: the only prose, or the only one of that name."""
    prose = [
        path
        for path, found in inner.items()
        if (found.is_prose or (is_short and found.texts and not found.lists))
        and not known.has(known.words(known.last(path)), known.REASON)
    ]
    named = [
        path
        for path in prose
        if known.has(known.words(known.last(path)), known.ANSWER | _TEXT)
        and not known.has(known.words(known.last(path)), known.REFERENCE)
    ]
    chosen = named if named or is_short else prose
    return chosen[0] if len(chosen) == 1 else None


def _in_columns(profiles: Mapping[str, Profile], is_short: bool, others: bool) -> list[Answers]:
    """Columns `answers.MODEL`, or `MODEL_answer`, of which each holds prose or a short answer."""
    patterns: dict[str, list[tuple[str, str]]] = {}
    for name, found in profiles.items():
        if found.is_prose or (is_short and found.texts and not found.lists):
            for pattern, key in _patterns(name):
                patterns.setdefault(pattern, []).append((key, name))
    return [
        Answers(
            pattern, tuple(key for key, _ in hits), pattern, _of_same_keys(pattern, hits, profiles)
        )
        for pattern, hits in patterns.items()
        if len(hits) > 1
        and (not is_short or are_of_models(
            pattern, [key for key, _ in hits], [profiles[name] for _, name in hits], others
        ))
    ]  # fmt: skip


def _patterns(name: str) -> list[tuple[str, str]]:
    """(pattern, key): the name of a column with a placeholder next to a word for an answer."""
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
    return known.all_known(known.words(word), known.ANSWER)


def _of_same_keys(pattern, hits, profiles) -> dict[str, Profile]:
    """Other columns of the same keys, as `gpt_score` next to `gpt_answer`, under their pattern."""
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


def fits(name: str, pattern: str, key: str) -> bool:
    """True for a column that a pattern over columns is of."""
    before, placeholder, after = pattern.partition(key)
    return bool(placeholder) and name.startswith(before) and name.endswith(after)


_MODELS = known.JUDGE | known.MODEL | known.RELEASES
# Keys of one answer's parts, which name no model.
_PARTS = (
    known.ANSWER
    | known.QUESTION
    | known.REFERENCE
    | known.CONTEXT
    | known.REASON
    | known.SCORE
    | known.CRITERION
    | known.ID
    | known.NO_SCORE
    | known.WORDS_OF_PARTS
)
_AROUND = frozenset(["final", "short", "raw", "text", "string", "normalized"])
_SEVERAL = frozenset(word for word in known.ANSWER if word.endswith("s") or not word.isascii())


def are_of_models(name: str, keys: Sequence[str], texts: Sequence[Profile], others: bool) -> bool:
    """True where the texts under these keys are the answers of one model each.

    Args:
        name: The column of the dictionary, or the pattern of the columns.
        keys: The keys.
        texts: What is under them.
        others: Another column of the file could be the answer.
    """
    parts = [known.words(key) for key in keys]
    if any(map(_is_part, parts)) or any(one.is_label for one in texts):
        return False
    models = any(known.has(part, _MODELS) for part in parts)
    if not models:
        is_plural = any(word in _SEVERAL for word in known.words(name))
        people = any(known.has(part, known.GRADER | known.HUMAN) for part in parts)
        if people or not is_plural:
            return False
    graded = any(_may_be_grades(one) for one in texts)
    return not graded or (models and not others)


def short_answers(free: Iterable[Profile]) -> list[Profile]:
    """Columns of short texts that are named as the answer and nothing else."""
    return [
        one
        for one in free
        if one.texts
        and not one.lists
        and not one.is_prose
        and not one.is_label
        and not _may_be_grades(one)
        and known.has(_last(one), known.ANSWER)
        and known.all_known(_last(one), known.ANSWER | known.MODEL | _AROUND)
    ]


def by_model(free: Iterable[Profile]) -> list[Profile]:
    """Columns of short texts under the name of a model."""
    return [
        one
        for one in free
        if one.texts
        and not one.lists
        and not _may_be_grades(one)
        and known.has(known.words(one.name), _MODELS)
        and not _is_part(known.words(one.name))
    ]


def may_be_others(profiles: Iterable[Profile]) -> bool:
    """True where prose that is named as nothing else could be the answer."""
    no_answer = known.QUESTION | known.CONTEXT | known.REFERENCE | known.REASON
    return any(one.is_prose and not known.has(known.words(one.name), no_answer) for one in profiles)


def _is_part(key: tuple[str, ...]) -> bool:
    """True for a key that names a part of one answer, as `text` or `model`, and no model."""
    return known.all_known(key, known.MODEL) or (
        known.has(key, _PARTS) and not known.has(key, known.JUDGE)
    )


def _last(one: Profile) -> tuple[str, ...]:
    return known.words(known.last(one.name))


def _may_be_grades(one: Profile) -> bool:
    return one.is_number or are_ratings(one.texts)
