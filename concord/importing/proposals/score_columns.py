"""Columns that are named like scores, for the user to confirm."""

import re
import unicodedata
from collections.abc import Iterable

from concord.importing.columns import ColumnMap, ScoreColumn

_KINDS = (
    ("judge", re.compile(r"gpt|llm|judge|claude|llama|gemini", re.I)),
    ("person", re.compile(r"human|person|people|annotator|rater|expert|人|사람", re.I)),
)


def score_candidates(columns: ColumnMap, criteria: Iterable[str]) -> tuple[ScoreColumn, ...]:
    """Leftover columns named like scores (`human_correctness`); for the user to confirm.

    The rest of the name is the grader, the column itself where there is no rest. The kind is empty
    where the name does not tell it.
    """
    suggestions = []
    for column in columns.leftovers:
        for criterion in criteria:
            grader = _remainder(column, criterion)
            if grader is not None:
                kind = next((kind for kind, words in _KINDS if words.search(grader)), "")
                suggestions.append(ScoreColumn(column, kind, grader or column, criterion))
                break
    return tuple(suggestions)


def _remainder(column, criterion):
    """Return what a column name contains besides the criterion and terms for a score; else None."""
    rest = re.sub(r"[\s_\-.:/]+", " ", unicodedata.normalize("NFKC", column)).strip()
    pattern = re.escape(criterion.replace("_", " "))
    if not re.search(rf"\b{pattern}\b", rest, re.I):
        return None
    rest = re.sub(rf"\b({pattern}|score|grade|rating|label)\b", " ", rest, flags=re.I)
    return " ".join(rest.split())
