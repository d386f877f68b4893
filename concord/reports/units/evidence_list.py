"""Evidence list: the answers of a sheet whose units were judged, those graders differ on first."""

from typing import NamedTuple

import pandas as pd

from concord.model import Sheet
from concord.reports.metrics.metric_records import LIST_EDITED, Readings
from concord.reports.work_list import Listed, WorkList
from concord.rubrics.model import Rubric
from concord.sampling import splits
from concord.store import grade_table, items
from concord.store.database import Store
from concord.store.rubrics import rubric_versions
from concord.store.units import units

MODEL = "answer model"
COLUMNS = ("answer", "question", MODEL, "units", "differ", "graders", "value")


class Answers(NamedTuple):
    """The answers as a table, best to begin with first, and what was left out of it.

    `rows` is indexed by item id and has `COLUMNS`; `closed` counts answers whose question is
    held out or in the few-shot pool.
    """

    rows: pd.DataFrame
    closed: int

    def ids(self) -> Listed[tuple[int, int]]:
        """Return the id of each answer, and on how many of its units graders differ."""
        return LIST.of(self.rows["differ"].items(), ordered=False)


LIST: WorkList[tuple[int, int]] = WorkList(
    "evidence",
    "entry",
    key=lambda one: one[0],
    is_open=lambda one: one[1] > 0,
)


def listed(
    store: Store,
    sheet: Sheet,
    found: Readings,
    rubric: Rubric | None,
    by: tuple[str, str] | None,
    worst_is_high: bool = False,
) -> Answers:
    """Return the answers with units of a rubric, or with a metric value, outdated ones included.

    `by` is the judge and metric of the value in the list; `worst_is_high` where less of it is
    better.
    """
    shut = _closed(store, sheet)
    index = items.item_index(store, sheet.id)
    open_ids = {row["id"] for row in index if row["question_id"] not in shut}
    names = items.item_names(store, sheet.id)
    frame = pd.DataFrame(
        [(i, *names[i]) for i in sorted(open_ids)],
        columns=["id", "answer", "question", MODEL],
    ).set_index("id")
    frame = frame.join(_counts(store, sheet, rubric))
    counted = ["units", "differ", "graders"]
    frame[counted] = frame[counted].fillna(0).astype(int)
    values = {
        one.item_id: one.value
        for one in found.records
        if (one.judge, one.metric) == by and one.repeat == 1 and one.value is not None
    }
    frame["value"] = pd.Series(values, dtype=float)
    edited = frame.index.isin([one.item_id for one in found.records if one.status == LIST_EDITED])
    kept = frame[(frame["units"] > 0) | frame["value"].notna() | edited]
    kept = kept.sort_values(
        ["differ", "value", "answer"], ascending=[False, not worst_is_high, True], kind="stable"
    )
    return Answers(kept[list(COLUMNS)], len(index) - len(open_ids))


def _closed(store: Store, sheet: Sheet) -> set[int]:
    """Return the held-out questions and those of the few-shot pool, whose answers are not shown."""
    return splits.leaked(store, sheet.id) | splits.held_out(store, sheet.id)


def narrowed(found: Answers, model: str | None, matching: set[int] | None) -> Answers:
    """Return the answers by one model and among some ids (None: all), in their order."""
    rows = found.rows
    if model is not None:
        rows = rows[rows[MODEL] == model]
    if matching is not None:
        rows = rows[rows.index.isin(matching)]
    return found._replace(rows=rows)


def _counts(store: Store, sheet: Sheet, rubric: Rubric | None) -> pd.DataFrame:
    """Return by item id the current units, those graders differ on, and the number of graders."""
    empty = pd.DataFrame({name: pd.Series(dtype=int) for name in ("units", "differ", "graders")})
    if rubric is None:
        return empty
    cut = units.index(store, sheet.id, rubric.units)
    current = pd.DataFrame(
        [(unit, item) for unit, item, is_current in cut if is_current], columns=["unit_id", "id"]
    )
    if not len(current):
        return empty
    versions = rubric_versions.criteria(store, rubric)
    table = grade_table.table(store, sheet.id, versions, units=True)
    scored = table.loc[
        (table["repeat"] == 1) & table["score"].notna(), ["unit_id", "grader_id", "score"]
    ].merge(current, on="unit_id")
    differ = scored.groupby("unit_id")["score"].nunique().gt(1)
    by_unit = current.assign(differ=current["unit_id"].map(differ).fillna(False).astype(int))
    made = by_unit.groupby("id").agg(units=("unit_id", "size"), differ=("differ", "sum"))
    return made.join(scored.groupby("id")["grader_id"].nunique().rename("graders"))
