"""Columns of scores, recognised by their values: few small numbers, or rating words."""

import re
from collections.abc import Iterable

from concord.importing import scores
from concord.importing.proposals import column_profile
from concord.importing.proposals import name_words as known
from concord.importing.proposals.column_profile import Profile, are_ratings

_LOWEST, _HIGHEST = -10, 100
# Last words of names that hold no score whatever is before, as `usage.gpt-4o.input_tokens`.
_NEVER = frozenset({"tokens", "token", "ms", "cost", "reason", "explanation", "rationale"})
_SUGGESTED = frozenset({"suggestion", "suggestions"})
# A digit next to a letter, as in `8b` and `v2`.
_RELEASE = re.compile(r"\d[a-z]|[a-z]\d")
# Where most scales end.
_SCALE = 10
# The share of texts at most that are no scores in a column of scores.
_UNREADABLE = 0.1


def is_grades(found: Profile) -> bool:
    """True for a column of scores: by its values, and where these could be else, by its name."""
    parts = known.words(found.name)
    if not found.texts or found.lists or found.is_prose:
        return False
    of_scores = known.has(parts, known.SCORE | known.JUDGE | known.HUMAN | known.CRITERIA)
    of_scores = of_scores or known.is_metric(found.name)
    if _NEVER.intersection(parts[-1:]):
        return False
    if parts[-1:] == ("score",) and known.has(parts, _SUGGESTED):
        return False  # how sure the model is of what it suggests, as in Argilla
    if known.has(parts, known.NO_SCORE) and not of_scores:
        return False
    if not found.is_number:
        if are_ratings(found.texts):
            return True
        of_models = known.all_known(parts, known.MODEL)
        models = sum(_names_model(text, of_models) for text in found.texts)
        if models * 2 > len(found.texts):
            return False
        readable, share = column_profile.readable(found)
        if 0 < share <= _UNREADABLE and is_grades(readable):
            return True
        rated = sum(known.has(known.words(text), known.RATINGS) for text in found.texts)
        is_rated = rated * 2 > len(found.texts) and (of_scores or found.distinct > 1)
        return found.is_few and (is_rated or (of_scores and found.distinct > 1))
    if known.all_known(parts, known.GRADER | known.ID) and known.has(parts, known.ID):
        return False
    if min(found.numbers) < _LOWEST or max(found.numbers) > _HIGHEST:
        return False
    is_whole = all(number.is_integer() for number in found.numbers)
    return of_scores or (is_whole and found.distinct > 1 and (found.is_few or _on_a_scale(found)))


def _names_model(text: str, of_models: bool) -> bool:
    """True for the name of a model; in a column of models also for one with a size, as `own-8b`."""
    has_release = any(_RELEASE.search(word) for word in known.words(text))
    return known.has(known.words(text), known.JUDGE | known.MODEL) or (of_models and has_release)


def is_grades_in_part(found: Profile) -> bool:
    """True for words of a usual scale of which more than a few, yet not most, are no scores."""
    readable, share = column_profile.readable(found)
    is_words = not (readable.is_number or found.lists or found.is_prose)
    return is_words and _UNREADABLE < share < 0.5 and is_grades(readable)


def _on_a_scale(found: Profile) -> bool:
    """True for small numbers in a file of a few rows, in which they recur less; no running ones."""
    low, high = min(found.numbers), max(found.numbers)
    runs = found.is_unique and list(found.numbers) == sorted(found.numbers)
    return low >= 0 and high <= _SCALE and len(found.texts) < 2 * _SCALE and not runs


def kinds(found: Profile, assertions: bool = False) -> set[str]:
    """The kinds of grader that a column names; none where it names anything else.

    Types of assertions are kinds too, if asked for.
    """
    kind_of = scores.kind_of if assertions else lambda word: scores.KINDS.get(word.casefold(), "")
    named = {kind_of(text) for text in found.texts}
    return set() if "" in named else named


def kinds_of_rows(columns: Iterable[Profile]) -> str | None:
    """The column that says of each grader whether it is an annotator or a judge."""
    return next((one.name for one in columns if kinds(one)), None)


def are_all(found: Profile, kind: str) -> bool:
    """True where a column says of every row that its grader is of this kind."""
    return kinds(found) == {"person" if kind == "annotator" else kind}


def criterion_of_rows(columns: Iterable[Profile]) -> str | None:
    """The only column that names the criterion of each row."""
    hits = [
        one.name
        for one in columns
        if one.texts
        and not one.is_number
        and not one.is_prose
        and known.all_known(known.words(known.last(one.name)), known.CRITERION | known.ID)
    ]
    return hits[0] if len(hits) == 1 else None


def scores_of_rows(columns: list[Profile]) -> list[Profile]:
    """Return the column named as a score, of those that could hold one grade per row."""
    named = [one for one in columns if known.all_known(known.words(one.name), known.SCORE)]
    return named if len(named) == 1 else columns


def is_of_scores(name: str) -> bool:
    """True for what is stored in the object of a score, as `scores.match.answer`."""
    return bool({"scores", "grades"} & {*known.words(name.rpartition(".")[0])})
