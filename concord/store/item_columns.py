"""Extra columns of a sheet, as stored, with one value per answer."""

import json

from concord.store.database import Store

Value = str | int | float | bool | list | dict | None


def names(store: Store, sheet_id: int) -> list[str]:
    """Return the sheet's own columns, in alphabetical order."""
    return store.column(
        "select distinct e.key as name from items i, json_each(i.metadata) e"
        " where i.sheet_id = ? order by 1",
        (sheet_id,),
    )


def values(store: Store, sheet_id: int, column: str) -> dict[int, Value]:
    """Return the value of one of the sheet's own columns by item id; None without a value."""
    rows = store.rows(
        "select i.id, e.type, e.value from items i"
        " left join json_each(i.metadata) e on e.key = ? where i.sheet_id = ? order by i.id",
        (column, sheet_id),
    )
    return {row["id"]: _value(row["type"], row["value"]) for row in rows}


def fields(store: Store, sheet_id: int, field: str) -> dict[int, str | None]:
    """Return a field of every answer by item id: `answer_model`, `cluster` or `synthetic`."""
    column = {"answer_model": "i.answer_model", "cluster": "q.cluster", "synthetic": "i.synthetic"}
    rows = store.rows(
        f"select i.id, {column[field]} as value from items i"
        " join questions q on q.id = i.question_id where i.sheet_id = ? order by i.id",
        (sheet_id,),
    )
    return {row["id"]: row["value"] for row in rows}


def _value(kind: str | None, value: str | int | float | None) -> Value:
    if kind in ("array", "object"):
        return json.loads(value)
    return bool(value) if kind in ("true", "false") else value
