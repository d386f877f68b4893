"""Grades in the predictions of an annotation tool: what models gave beside the annotators.

Label Studio keeps them in lists like those of annotations, `predictions[].result[]`, each with the
model it is of. They are read as columns of a judge, since lists of grades can be read only once.
"""

from collections.abc import Sequence
from typing import NamedTuple

from concord.importing import column_paths
from concord.importing.proposals import dictionaries, grades_in_lists
from concord.importing.proposals import name_words as known
from concord.importing.proposals.column_profile import Profile, profile
from concord.importing.proposals.proposal import GradeColumn, Word
from concord.messages import said

_NAMES = frozenset(["prediction", "predictions"])
_MODELS = known.MODEL | known.WHO
# Predictions of one row that are read.
_MOST = 5


class Predictions(NamedTuple):
    """Columns of grades by models, and the criteria that are left out because they hold none."""

    columns: list[GradeColumn]
    without: list[Word]


def predictions(one: Profile) -> Predictions | None:
    """The grades in a column of predictions; None for any other."""
    if not known.has(known.words(known.last(one.name)), _NAMES):
        return None
    cells = [column_paths.structured(cell) or [] for cell in one.values]
    if not all(isinstance(c, list) and all(isinstance(p, dict) for p in c) for c in cells):
        return None
    most = max(map(len, cells), default=0)
    parts = [part for cell in cells for part in cell]
    inner = _inner(parts)
    if not inner or not 1 <= most <= _MOST:
        return None
    key, naming, value = inner
    given = [part for one in parts for part in one.get(key) or ()]
    path = f"{one.name}.{{{naming}}}"
    scores = profile(path, (column_paths.only(column_paths.as_cell(p.get(value))) for p in given))
    names = profile(path, (column_paths.as_cell(part.get(naming)) for part in given))
    by_criterion = grades_in_lists.by_criterion(names, scores)
    without = [own.name for own in by_criterion if not grades_in_lists.is_scored(own)]
    model = _model(parts)
    if len(without) == len(by_criterion) or not (model or most == 1):
        return None
    reason = said("what a model gave beside the annotators")
    columns = [
        GradeColumn(
            f"{one.name}.{place}.{key}.{{{naming}}}.{value}",
            f"{{{naming}}}",
            f"{{{one.name}.{place}.{model}}}" if model else "prediction",
            "judge",
            reason,
            tuple(text for own in by_criterion for text in dict.fromkeys(own.texts))[:10],
        )
        for place in range(most)
    ]
    left = [Word(f"criterion:{name}", "", said("its values are no scores")) for name in without]
    return Predictions(columns, left)


def _inner(parts: Sequence[dict]) -> tuple[str, str, str] | None:
    """The keys of the list of grades, of the criterion and of the score of each."""
    for key in dict.fromkeys(key for part in parts for key in part):
        lists = [part[key] for part in parts if part.get(key) is not None]
        if not lists or not all(isinstance(one, list) for one in lists):
            continue
        naming = dictionaries.naming(lists, known.CRITERION | {"from"})
        keys = dict.fromkeys(key for one in lists for part in one for key in part) if naming else ()
        values = [key for key in keys if known.all_in(known.words(key), known.SCORE)]
        if values:
            return key, naming, "value" if "value" in values else values[0]
    return None


def _model(parts: Sequence[dict]) -> str:
    """The key of the model of each prediction; '' where one has none."""
    for key in parts[0]:
        names = [part.get(key) for part in parts]
        if known.has(known.words(key), _MODELS) and all(
            isinstance(name, str) and name.strip() for name in names
        ):
            return key
    return ""
