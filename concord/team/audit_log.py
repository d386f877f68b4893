"""Changes: what signed-in leads changed, newest first; the database notes them by itself.

`permissions` has SQLite write one down for every change of a table that `permissions.NOTED` names.
"""

from typing import NamedTuple

from concord.store.database import Store


class Change(NamedTuple):
    """A row change: user, action (`insert`, `update` or `delete`), table and UTC time."""

    who: str
    what: str
    table: str
    row_id: int | None
    at: str


def newest(store: Store, count: int) -> list[Change]:
    """The last so many changes."""
    rows = store.rows(
        "select who, what, table_name, row_id, at from changes order by id desc limit ?", (count,)
    )
    return [Change(*row) for row in rows]
