"""Sheets whose questions come from documents."""

from concord.store import additions
from tests.support.made_items import made_item


def sheet_of(store, name, *rows):
    """A sheet of one answer to each question, given as (text, cluster)."""
    made = [
        made_item(n, question_id=str(n), own_id=f"{n}", question=text, cluster=cluster)
        for n, (text, cluster) in enumerate(rows)
    ]
    return additions.add(store, name, made, name, "x", {})
