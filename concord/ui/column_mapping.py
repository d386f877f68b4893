"""Column mapping: a table of the columns with sample values, where a field is chosen for each."""

from collections.abc import Iterable, Mapping, Sequence

import pandas as pd
import streamlit as st

from concord.definitions import digest
from concord.importing.columns import ColumnMap, check_columns, column_map, prepared
from concord.importing.fields import BESIDE_ANSWERS, GRADE_FIELDS, ITEM_FIELDS
from concord.importing.proposals import profiles
from concord.importing.readers.table import Table
from concord.messages import said
from concord.rubrics.model import Rubric
from concord.ui.language import say

# A column of one answering model's answers, and columns of one grader's scores.
ANSWERS = "answer:"
SCORES = {
    "score:annotator": said("scores of an annotator"),
    "score:judge": said("scores of a judge"),
    "score:mean": said("means of annotators"),
    "score:metric": said("values of a metric"),
}
_LABELS = {ANSWERS: said("answers of one model"), "grader_kind": said("kind of grader"), **SCORES}
_SHOWN_ROWS, _ROW_PX = 14, 35


def item_columns(table: Table, words: Sequence[str], key: str) -> ColumnMap:
    """The column map of an answer sheet as the user has it on screen; it begins with `words`.

    Raises:
        Problem: something that is needed is not chosen yet.
    """
    fields = [*ITEM_FIELDS, *BESIDE_ANSWERS, ANSWERS, *SCORES]
    start = column_map(table.columns, words)
    columns = column_map(table.columns, _edited(table, start, fields, key))
    check_columns(table, columns)
    return columns


def grade_columns(table: Table, key: str, rubric: Rubric, ids: Sequence[str]) -> ColumnMap:
    """The column map of a file of grades as the user has it on screen.

    `ids` are words of a map: the columns whose values are stored ids, where no name says so.

    Raises:
        Problem: something that is needed is not chosen yet.
    """
    start = column_map(table.columns, ids, GRADE_FIELDS)
    words = _edited(table, start, [*GRADE_FIELDS, *SCORES], key)
    return prepared(column_map(table.columns, words, GRADE_FIELDS), [rubric])


def map_rows(table: Table, start: ColumnMap) -> tuple[list[dict[str, str | None]], list[str]]:
    """The rows of the table of columns, and the words of the map that no row has room for.

    A column is one row; a constant, a criterion and a second field of a column are further words.
    """
    taken: dict[str, tuple[str, str, str]] = {}
    more = []
    for word in start.spoken():
        field, _, column = word.partition("=")
        score = next((one for one in start.scores if word == f"{one.field}={one.column}"), None)
        model = next((m for m, c in start.answers.items() if word == f"answer:{m}={c}"), None)
        if score:
            column, given = (
                score.column,
                (":".join(score.field.split(":")[:2]), score.grader, score.criterion),
            )
        elif model:
            column, given = start.answers[model], (ANSWERS, model, "")
        else:
            given = field, "", ""
        if field.endswith(":") or field.partition(":")[:2] == ("criterion", ":") or column in taken:
            more.append(word)
        else:
            taken[column] = given
    seen = {one.column: " · ".join(one.values) for one in profiles(table)}
    rows = []
    for column in dict.fromkeys((*table.columns, *seen, *taken)):
        field, name, criterion = taken.get(column, (None, "", ""))
        values = {"column": column, "values": seen.get(column, ""), "field": field}
        rows.append({**values, "name": name, "criterion": criterion})
    return rows, more


def words_of(rows: Iterable[Mapping], more: Iterable[str], fields: Iterable[str]) -> list[str]:
    """The words of a column map that the rows say; a field that none has is left out."""
    words = [word.strip() for word in more if word.strip()]
    for row in rows:
        field, column = row["field"], row["column"]
        name, criterion = (str(row[part] or "").strip() for part in ("name", "criterion"))
        if field in SCORES:
            words.append(f"{field}:{name or column}:{criterion or 'overall'}={column}")
        elif field == ANSWERS:
            words.append(f"answer:{name or column}={column}")
        elif field:
            words.append(f"{field}={column}")
    there = {word.partition("=")[0].rstrip(":") for word in words}
    return [*words, *(f"{field}=" for field in fields if field not in there)]


def _edited(table: Table, start: ColumnMap, fields: Sequence[str], key: str) -> list[str]:
    rows, more = map_rows(table, start)
    edited = st.data_editor(
        pd.DataFrame(rows),
        key=f"{key}.columns.{digest(repr([row['column'] for row in rows]))}",  # kept by place
        hide_index=True,
        num_rows="fixed",
        disabled=("column", "values"),
        height=_ROW_PX * (min(len(rows), _SHOWN_ROWS) + 1) + 3,
        column_config={
            "column": st.column_config.TextColumn(say("Column")),
            "values": st.column_config.TextColumn(say("Values"), width="large"),
            "field": st.column_config.SelectboxColumn(
                say("Field"), options=fields, format_func=lambda field: say(_label(field))
            ),
            "name": st.column_config.TextColumn(
                say("Grader or model"), help=say("A name, or {COLUMN} to read it in each row.")
            ),
            "criterion": st.column_config.TextColumn(say("Criterion")),
        },
        alt=say("Columns and their fields"),
    )
    lines = st.text_area(
        say("More of the mapping"),
        "\n".join(more),
        key=f"{key}.more",
        help=say(
            "One per line, as after `--map`: a path (`answer=answers.{model}.text`), or a value of "
            "every row (`answer_model:=ours`)."
        ),
    )
    plain = [field for field in fields if field in (ITEM_FIELDS | GRADE_FIELDS)]
    closed = [field for field in plain if ANSWERS not in fields or field in ITEM_FIELDS]
    read = edited.astype(object).where(edited.notna(), None).to_dict("records")
    return words_of(read, lines.splitlines(), closed)


def _label(field: str) -> str:
    return _LABELS.get(field) or field.replace("_", " ")
