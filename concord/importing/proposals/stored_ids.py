"""The column of a file of grades whose values are the ids of stored answers."""

from collections.abc import Container

from concord.importing.answer_columns import head
from concord.importing.columns import column_map
from concord.importing.fields import GRADE_FIELDS
from concord.importing.proposals.column_profile import of_columns
from concord.importing.readers.table import Table
from concord.model import item_key

_RECORDS = 200


def id_column(table: Table, known: Container[str]) -> str | None:
    """The column that names stored answers, whatever it is called; None for none or several.

    None also where the column that is named so does. `known` are the keys of stored answers.
    A few recurring numbers are no ids: they may be scores.
    """
    columns = column_map(table.columns, fields=GRADE_FIELDS)
    profiles = of_columns(table.columns, [record.cells for record in head(table, _RECORDS)])
    named = columns.column("item_id")
    hits = {
        column: profiles[column].distinct
        for column in (*filter(None, [named]), *columns.leftovers)
        if (texts := profiles[column].texts)
        and not (profiles[column].is_number and profiles[column].is_few)
        and all(item_key(text) in known for text in texts)
    }
    if not hits or named in hits:
        return None
    best = [column for column, count in hits.items() if count == max(hits.values())]
    return best[0] if len(best) == 1 else None
