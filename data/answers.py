"""Answers: the texts of all answers of a sheet at once, for what is measured of every one."""

from data.store import Store


def texts(store: Store, sheet_id: int) -> list[str]:
    """The answers of a sheet in the order of their ids, which is that of a panel's items."""
    rows = store.rows("select answer from items where sheet_id = ? order by id", (sheet_id,))
    return [row["answer"] for row in rows]
