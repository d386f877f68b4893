"""The probabilities that a judge gave the scores of one answer, for display with its replies."""

from collections.abc import Mapping
from typing import NamedTuple

from concord.messages import Numeral, said
from concord.model import Distribution
from concord.reports.document import Column, Table, table_of
from concord.store import grades
from concord.store.database import Store


class _Row(NamedTuple):
    """One criterion and repeat."""

    criterion: str
    repeat: int
    score: int | None
    found: Distribution


def table(store: Store, item_id: int, grader_id: int, versions: Mapping[str, str]) -> Table:
    """Return a row for each criterion and repeat, with a column for each score.

    The probabilities are those that were returned; the table has no rows where there are none.
    `versions` are the criterion versions, by the criterion's name.
    """
    names = {version: name for name, version in versions.items()}
    found = grades.distributions_of_item(store, item_id, grader_id, names)
    scores = {
        (names[row["version"]], row["repeat"]): row["score"]
        for row in grades.of_grader(store, grader_id, [item_id], list(names))
    }
    # In the order of the rubric, whichever was stored first.
    rows = [
        _Row(name, repeat, scores.get((name, repeat)), one)
        for name in versions
        for (_, of, repeat), one in sorted(found.items())
        if of == name
    ]
    levels = sorted({score for row in rows for score, _ in row.found.probabilities})
    parts = [
        (Column(said("criterion")), lambda row: row.criterion),
        *([(Column(said("repeat"), "count"), lambda row: row.repeat)] if _repeated(rows) else []),
        (Column(said("score"), "count"), lambda row: row.score),
        *((Column(Numeral(f"{level:g}"), "share"), _probability(level)) for level in levels),
        (Column(said("outside the scale"), "share"), lambda row: row.found.outside),
    ]
    return table_of("reply-distributions", rows, parts, said("Probability of each score"), True)


def _repeated(rows: list[_Row]) -> bool:
    return any(row.repeat > 1 for row in rows)


def _probability(level: float):
    return lambda row: dict(row.found.probabilities).get(level)
