"""Graded times: when annotators gave the grades that count now, and how long each took."""

import json
from collections.abc import Collection

import pandas as pd

from concord.store.database import Store


def of_annotators(store: Store, sheet_id: int, versions: Collection[str]) -> pd.DataFrame:
    """Return a row per annotator's grade of whole answers under some criterion versions.

    A changed grade has the time of its newest key, and the seconds of all its key presses.

    Returns:
        Columns item_id, version, grader_id (a merged annotator's is its target's), repeat, given_at
        (UTC, as text; None where the grade came in a file, which does not say when it was given)
        and seconds (None where no key has any).
    """
    # Beside one max() SQLite takes the other columns from the row that has it.
    rows = store.rows(
        "select g.item_id, g.version, coalesce(r.merged_into, r.id) as grader_id, g.repeat,"
        " case when g.press_id is not null then g.created_at end as given_at,"
        " sum(g.seconds) as seconds, max(g.id) from grades g"
        " join items i on i.id = g.item_id join graders r on r.id = g.grader_id"
        " where i.sheet_id = ? and r.kind = 'person'"
        " and g.unit_id is null and g.version in (select value from json_each(?))"
        " group by g.item_id, g.version, coalesce(r.merged_into, r.id), g.repeat"
        " order by max(g.id)",
        (sheet_id, json.dumps(list(versions))),
    )
    names = ("item_id", "version", "grader_id", "repeat", "given_at", "seconds")
    frame = pd.DataFrame([tuple(row)[:6] for row in rows], columns=list(names))
    return frame.astype({"item_id": "int64", "grader_id": "int64", "repeat": "int64"}).assign(
        seconds=pd.to_numeric(frame["seconds"]).astype(float)
    )
