"""Columns that are named like scores, or hold them, for the user to confirm."""

import re
import unicodedata
from collections.abc import Iterable, Sequence

from concord.importing.answer_columns import head
from concord.importing.columns import ColumnMap, ScoreColumn
from concord.importing.fields import folded
from concord.importing.proposals import name_words as known
from concord.importing.proposals.column_profile import of_columns
from concord.importing.proposals.grades_by_value import by_name
from concord.importing.proposals.score_values import is_grades
from concord.importing.readers.table import Table

_RECORDS = 200
_BRACKETS = re.compile(r"(.+)\(([^()]+)\)\s*")
_STORED = {"annotator": "person"}
_KINDS = (
    ("judge", re.compile(r"gpt|llm|judge|claude|llama|gemini", re.I)),
    ("person", re.compile(r"human|person|people|annotator|rater|expert|人|사람", re.I)),
)


def possible_scores(
    table: Table, columns: ColumnMap, criteria: Sequence[str], per_grader: bool
) -> tuple[ScoreColumn, ...]:
    """`score_candidates`, after `graders_by_name` where each column is of one grader."""
    hits = graders_by_name(table, columns, criteria) if per_grader else ()
    known = {hit.column for hit in hits}
    return hits + tuple(c for c in score_candidates(columns, criteria) if c.column not in known)


def score_candidates(columns: ColumnMap, criteria: Iterable[str]) -> tuple[ScoreColumn, ...]:
    """Leftover columns named like scores (`human_correctness`); for the user to confirm.

    The rest of the name is the grader, the column itself where there is no rest. The kind is empty
    where the name does not tell it. So is the criterion of a column whose name has another one
    before a grader in brackets, as `正确性（张伟）`.
    """
    suggestions = []
    for column in columns.leftovers:
        read = [(criterion, _remainder(column, criterion)) for criterion in criteria]
        for criterion, grader in (*read, ("", _in_brackets(column))):
            if grader is not None:
                kind = next((kind for kind, words in _KINDS if words.search(grader)), "")
                suggestions.append(ScoreColumn(column, kind, grader or column, criterion))
                break
    return tuple(suggestions)


def graders_by_name(
    table: Table, columns: ColumnMap, criteria: Iterable[str]
) -> tuple[ScoreColumn, ...]:
    """The same for leftover columns that hold grades and have the name of a grader in theirs.

    The criterion is empty where it is none of `criteria` and there are several.
    """
    criteria = {folded(name): name for name in criteria}
    only = next(iter(criteria.values())) if len(criteria) == 1 else ""
    profiles = of_columns(table.columns, [record.cells for record in head(table, _RECORDS)])
    grades, _ = by_name([one for c in columns.leftovers if is_grades(one := profiles[c])])
    return tuple(
        ScoreColumn(one.column, _STORED.get(one.kind, one.kind), one.grader,
                    criteria.get(folded(one.criterion), only))
        for one in grades
        if one.grader not in ("", one.kind)
    )  # fmt: skip


def are_annotators(table: Table, columns: ColumnMap) -> bool:
    """True where a column names who graded, and nothing in its first rows looks like a judge."""
    column = columns.column("grader")
    if column not in table.columns:  # a path or a constant
        return False
    place = table.columns.index(column)
    names = {str(record.cells[place]) for record in head(table, _RECORDS)}
    return not any(known.has(known.words(name), known.JUDGE) for name in (column, *names))


def _in_brackets(column: str) -> str | None:
    """Return what brackets behind a usual criterion, or a word for a score, hold; None for none."""
    hit = _BRACKETS.fullmatch(unicodedata.normalize("NFKC", column).strip())
    of_score = hit and known.has(known.words(hit[1]), known.CRITERIA | known.SCORE)
    return hit[2].strip() if of_score and not known.is_scale(hit[2]) else None


def _remainder(column: str, criterion: str) -> str | None:
    """Return what a column name contains besides the criterion and terms for a score; else None."""
    rest = re.sub(r"[\s_\-.:/]+", " ", unicodedata.normalize("NFKC", column)).strip()
    pattern = re.escape(criterion.replace("_", " "))
    if not re.search(rf"\b{pattern}\b", rest, re.I):
        return None
    rest = re.sub(rf"\b({pattern}|score|grade|rating|label)\b", " ", rest, flags=re.I)
    rest = " ".join(rest.split())
    if inner := re.fullmatch(r"\(([^()]+)\)", rest):
        return "" if known.is_scale(inner[1]) else inner[1].strip()
    return rest
