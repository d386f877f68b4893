"""The columns of a file of grades whose values are the ids of stored answers or questions."""

import json
from collections.abc import Collection, Container, Iterable

from concord.importing.answer_columns import head
from concord.importing.columns import column_map
from concord.importing.fields import GRADE_FIELDS
from concord.importing.proposals.column_profile import of_columns
from concord.importing.readers.table import Table
from concord.model import item_key

_RECORDS = 200


def id_words(table: Table, known: Collection[str]) -> list[str]:
    """The words of a column map that name stored answers by their values; none in doubt.

    That is the column of `id_column`, else one of ids of questions with one of answering models.
    `known` are the keys of stored answers.
    """
    if column := id_column(table, known):
        return [f"item_id={column}"]
    columns = column_map(table.columns, fields=GRADE_FIELDS)
    named, texts = columns.column("item_id"), _texts(table)
    is_id = named and all(item_key(text) in known for text in texts[named])
    if is_id or not columns.fields.keys().isdisjoint(("question_id", "question")):
        return []
    questions, models = _answers(known)
    ids = [c for c in (named, *columns.leftovers) if c and _all_in(texts[c], questions)]
    if len(ids) != 1:
        return []
    found = [f"question_id={ids[0]}", *(["item_id="] if ids[0] == named else [])]
    by = [c for c in columns.leftovers if _all_in(texts[c], models)]
    return found + [f"answer_model={c}" for c in by if len(by) == 1]


def _texts(table: Table) -> dict[str, Collection[str]]:
    """The different texts of each column; none of a few recurring numbers, which may be scores."""
    found = of_columns(table.columns, [record.cells for record in head(table, _RECORDS)])
    return {c: () if one.is_number and one.is_few else one.texts for c, one in found.items()}


def _all_in(texts: Collection[str], known: Container[str]) -> bool:
    return bool(texts) and all(text in known for text in texts)


def _answers(known: Iterable[str]) -> tuple[set[str], set[str]]:
    """The ids of questions and the answering models that keys of answers name."""
    pairs = [pair for pair in map(json.loads, known) if len(pair) == 2]
    questions = {q.removeprefix("id:") for q, _ in pairs if q.startswith("id:")}
    return questions, {model for _, model in pairs if model}


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
