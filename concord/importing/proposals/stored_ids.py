"""The columns of a file of grades whose values are the ids of stored answers or questions."""

from collections.abc import Collection, Container

from concord.importing.answer_columns import head
from concord.importing.columns import column_map
from concord.importing.fields import GRADE_FIELDS
from concord.importing.proposals.column_profile import of_columns
from concord.importing.readers.table import Table
from concord.model import item_key, named_by_question

_RECORDS = 200


def id_words(table: Table, known: Collection[str]) -> list[str]:
    """The words of a column map that name stored answers by their values; none in doubt.

    That is the column of their ids, whatever it is called, else one of ids of questions with one of
    answering models. None where the column that is named so holds their ids. `known` are the keys
    of stored answers. A few recurring numbers are no ids: they may be scores.
    """
    columns = column_map(table.columns, fields=GRADE_FIELDS)
    named = columns.column("item_id")
    held = of_columns(table.columns, [record.cells for record in head(table, _RECORDS)])
    texts = {c: () if one.is_number and one.is_few else one.texts for c, one in held.items()}
    free = [column for column in (named, *columns.leftovers) if column]
    hits = [c for c in free if texts[c] and all(item_key(text) in known for text in texts[c])]
    if named in hits:
        return []
    most = max((held[column].distinct for column in hits), default=0)
    best = [column for column in hits if held[column].distinct == most]
    if len(best) == 1:
        return [f"item_id={best[0]}"]
    is_blank = named and not texts[named]
    if is_blank or not columns.fields.keys().isdisjoint(("question_id", "question")):
        return []
    pairs = [pair for pair in map(named_by_question, known) if pair]
    ids = [c for c in free if _all_in(texts[c], {question for question, _ in pairs})]
    if len(ids) != 1:
        return []
    found = [f"question_id={ids[0]}", *(["item_id="] if ids[0] == named else [])]
    by = [c for c in columns.leftovers if _all_in(texts[c], {model for _, model in pairs})]
    return found + [f"answer_model={c}" for c in by if len(by) == 1]


def _all_in(texts: Collection[str], known: Container[str]) -> bool:
    return bool(texts) and all(text in known for text in texts)
