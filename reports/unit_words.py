"""Unit words: what a report row counts, and what its scores are called, where units are graded."""

from collections.abc import Mapping
from typing import Any

from data.counted import counted
from rubrics.model import Rubric

ANSWER = {"unit": "answer", "plural": "answers"}


def of_rubric(rubric: Rubric) -> dict[str, Any] | None:
    """`unit`, `plural`, the criterion's `title` and the `labels` by score; None for answers."""
    if not rubric.units:
        return None
    (criterion,) = rubric.criteria
    return {
        "unit": rubric.units.replace("_", " "),
        "plural": rubric.plural,
        "title": criterion.heading(),
        "labels": {str(level.score): level.label for level in criterion.levels},
    }


def how_many(found: Mapping[str, Any], count: int) -> str:
    """A count of what a row or table holds: `26 claims`, `1 answer`."""
    words = found.get("units") or ANSWER
    return counted(count, words["unit"], words["plural"])


def plural(found: Mapping[str, Any]) -> str:
    """What a row or table holds: `claims`, else `answers`."""
    return (found.get("units") or ANSWER)["plural"]


def score(found: Mapping[str, Any], given: int) -> str:
    """A score as sentences say it: the label of units, else the number."""
    words = found.get("units")
    return f"“{words['labels'][str(given)]}”" if words else str(given)
