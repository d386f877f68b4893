"""Mappings of earlier imports, to be used again on a file with the same columns."""

import json
from typing import NamedTuple

from concord.store.database import Store


class ImportMapping(NamedTuple):
    """How a file of answers was mapped: its name, its sheet, and the words of its column map."""

    file: str
    sheet: str
    words: tuple[str, ...]


def import_mappings(store: Store, most: int = 50) -> list[ImportMapping]:
    """Return the different mappings of the newest `most` imports of answers, newest first."""
    rows = store.rows(
        "select m.source_name, s.name, m.column_map from imports m join sheets s on s.id ="
        " m.sheet_id where m.kind = 'sheet' order by m.id desc limit ?",
        (most,),
    )
    found: dict[tuple[str, ...], ImportMapping] = {}
    for row in rows:
        words = tuple(json.loads(row["column_map"]).get("columns", []))
        if words:
            found.setdefault(words, ImportMapping(row["source_name"], row["name"], words))
    return list(found.values())
