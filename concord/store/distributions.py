"""Distributions of grades: a judge's probability of each score, as it was returned.

Stored with the grade (`grades.record`) and never changed. A grade without one has no row.
"""

import json
from collections.abc import Mapping

from concord.model import Distribution
from concord.store.database import Store, marks
from concord.store.grades import CURRENT


def of_grader(
    store: Store, sheet_id: int, grader_id: int, versions: Mapping[str, str]
) -> dict[tuple[int, str, int], Distribution]:
    """Return the distributions of a grader's current grades of whole answers of a sheet.

    By (item, criterion, repeat); `versions` are the criterion versions that count, with the
    criterion's name. A grade without a distribution is left out.
    """
    return _found(store, "i.sheet_id", sheet_id, grader_id, versions)


def of_item(
    store: Store, item_id: int, grader_id: int, versions: Mapping[str, str]
) -> dict[tuple[int, str, int], Distribution]:
    """Return what `of_grader` does, for one item."""
    return _found(store, "g.item_id", item_id, grader_id, versions)


def _found(
    store: Store, column: str, value: int, grader_id: int, versions: Mapping[str, str]
) -> dict[tuple[int, str, int], Distribution]:
    rows = store.rows(
        "select g.item_id, g.version, g.repeat, d.source, d.probabilities, d.outside"
        " from distributions d join grades g on g.id = d.grade_id"
        " join items i on i.id = g.item_id join graders r on r.id = g.grader_id"
        f" where {column} = ? and coalesce(r.merged_into, r.id) = ? and g.unit_id is null"
        f" and g.version in ({marks(versions)}) and {CURRENT} order by g.id",
        (value, grader_id, *versions),
    )
    return {
        (row["item_id"], versions[row["version"]], row["repeat"]): Distribution(
            row["source"], _probabilities(row["probabilities"]), row["outside"]
        )
        for row in rows
    }


def graders_with(store: Store, sheet_id: int) -> set[int]:
    """Return the ids of the graders of a sheet that gave any distribution."""
    return set(
        store.column(
            "select distinct coalesce(r.merged_into, r.id) from distributions d"
            " join grades g on g.id = d.grade_id join items i on i.id = g.item_id"
            " join graders r on r.id = g.grader_id where i.sheet_id = ?",
            (sheet_id,),
        )
    )


def _probabilities(text: str) -> tuple[tuple[float, float], ...]:
    return tuple(sorted((float(score), p) for score, p in json.loads(text).items()))
