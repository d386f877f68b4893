"""Export: every table in long form, one CSV and one Parquet file each, for any other tool."""

from pathlib import Path

import pandas as pd

from data.store import Store
from problems import Problem

TABLES = (
    *("sheets", "imports", "removed_sheets", "questions", "question_roles", "items"),
    *("criteria", "rubrics", "carried_versions", "graders", "grading_sets", "grading_set_items"),
    *("assignments", "units", "runs", "openings", "replies", "adjudications"),
    *("decisions", "looks", "certificates"),
)

GRADES = (
    "select g.id, s.name as sheet, i.own_id as item_id, q.own_id as question_id, q.cluster,"
    " i.answer_model, c.name as criterion, g.version, r.kind as grader_kind, r.name as grader,"
    " r.fingerprint, r.simulated, g.status, g.score, g.label, g.reason, g.seconds, g.repeat,"
    " g.blind, g.supersedes, g.why, g.created_at, g.unit_id, g.run_id, g.grader_id, i.id as item,"
    " not exists (select 1 from grades later where later.supersedes = g.id) as current"
    " from grades g join items i on i.id = g.item_id join questions q on q.id = i.question_id"
    " join sheets s on s.id = i.sheet_id join criteria c on c.version = g.version"
    " join graders o on o.id = g.grader_id join graders r on r.id = coalesce(o.merged_into, o.id)"
    " order by g.id"
)


def export(store: Store, folder: str | Path) -> list[Path]:
    """Write every table into a new or empty folder; returns the files.

    `grades` has one row per grade with the names of what it hangs on; superseded grades are there
    too and marked (`current` 0). CSV is UTF-8 with a byte order mark, so that spreadsheets read it.
    """
    folder = Path(folder)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise Problem(f"{folder} is not an empty folder. Name a new one for the export.")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        queries = {"grades": GRADES} | {name: f"select * from {name}" for name in TABLES}
        return [file for name, sql in queries.items() for file in _write(store, sql, folder / name)]
    except OSError as error:
        raise Problem(f"{folder} cannot be written: {error.strerror}. Name another.") from None


def _write(store: Store, sql: str, stem: Path) -> list[Path]:
    cursor = store.db.conn.execute(sql)
    names = [column[0] for column in cursor.description]
    frame = pd.DataFrame([tuple(row) for row in cursor], columns=names)
    csv, parquet = stem.with_suffix(".csv"), stem.with_suffix(".parquet")
    frame.to_csv(csv, index=False, encoding="utf-8-sig")
    frame.to_parquet(parquet, index=False)
    return [csv, parquet]
