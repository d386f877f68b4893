"""Short answers, as "Paris" or "42": texts of a few words, which only their names distinguish.

Rating words and numbers could be grades as well, so they are taken for answers only where their
keys name models, and nothing else in the file could be the answer.
"""

from collections.abc import Iterable, Sequence

from concord.importing.proposals import name_words as known
from concord.importing.proposals.column_profile import Profile, are_ratings

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


def named(free: Iterable[Profile]) -> list[Profile]:
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
