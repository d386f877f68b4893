"""Column mapping: a table of the columns with sample values, where a field is chosen for each."""

from collections.abc import Iterable, Mapping, Sequence

import pandas as pd
import streamlit as st

from concord.definitions import digest
from concord.importing.column_paths import CONSTANT
from concord.importing.columns import ColumnMap, check_columns, column_map, prepared, word_of
from concord.importing.fields import BESIDE_ANSWERS, GRADE_FIELDS, ITEM_FIELDS
from concord.importing.proposals import profiles
from concord.importing.readers.table import Table
from concord.rubrics.model import Rubric
from concord.ui.language import say

# A column of one answering model's answers, and columns of one grader's scores.
ANSWERS = "answer:"
SCORES = {
    "score:annotator": "scores of an annotator",
    "score:judge": "scores of a judge",
    "score:mean": "means of annotators",
    "score:metric": "values of a metric",
}
_LABELS = {ANSWERS: "answers of one model", "grader_kind": "kind of grader", **SCORES}
_SHOWN_ROWS, _ROW_PX = 14, 35


def item_columns(table: Table, words: Sequence[str], key: str) -> ColumnMap:
    """The column map of an answer sheet as the user has it on screen; it begins with `words`.

    Raises:
        Problem: something that is needed is not chosen yet.
    """
    start = column_map(table.columns, words)
    fields = [*ITEM_FIELDS, *BESIDE_ANSWERS, ANSWERS, *SCORES]
    columns = column_map(table.columns, _edited(table, start, fields, ITEM_FIELDS, key))
    check_columns(table, columns)
    return columns


def grade_columns(table: Table, key: str, rubric: Rubric) -> ColumnMap:
    """The column map of a file of grades as the user has it on screen.

    Raises:
        Problem: something that is needed is not chosen yet.
    """
    start = column_map(table.columns, fields=GRADE_FIELDS)
    words = _edited(table, start, [*GRADE_FIELDS, *SCORES], GRADE_FIELDS, key)
    return prepared(column_map(table.columns, words, GRADE_FIELDS), [rubric])


def map_rows(table: Table, start: ColumnMap) -> tuple[list[dict[str, str | None]], list[str]]:
    """The rows of the table of columns, and the words of the map that no row has room for.

    A column is one row; a constant, a criterion and a second field of a column are further words.
    """
    columns = [c for c in (*table.columns, *start.mapped()) if not c.startswith(CONSTANT)]
    seen = {one.column: " · ".join(one.values) for one in profiles(table)}
    empty = {"field": None, "name": "", "criterion": ""}
    rows = {c: {"column": c, "values": seen.get(c, "")} | empty for c in (*columns, *seen)}
    more = []
    for field, column in start.pairs():
        kind, colon, name = field.partition(":")
        criterion = ""
        if kind == "score" and colon:
            who, _, name = name.partition(":")
            kind, (name, _, criterion) = f"score:{who}", name.rpartition(":")
        kind = ANSWERS if kind == "answer" and colon else kind
        if column not in rows or rows[column]["field"]:
            more.append(word_of(field, column))
        else:
            rows[column] |= {"field": kind, "name": name, "criterion": criterion}
    criteria = start._replace(fields={}, answers={}, scores=()).spoken()
    return [*rows.values()], [*more, *criteria]


def words_of(rows: Iterable[Mapping], more: Iterable[str], fields: Iterable[str]) -> list[str]:
    """The words of a column map that the rows say; a field that none has is left out."""
    words = [word.strip() for word in more if word.strip()]
    for row in rows:
        field, column = row["field"], row["column"]
        name, criterion = (str(row[part] or "").strip() for part in ("name", "criterion"))
        if field in SCORES:
            field = f"{field}:{name or column}:{criterion or 'overall'}"
        elif field == ANSWERS:
            field = f"{field}{name or column}"
        words += [f"{field}={column}"] if field else []
    there = {word.partition("=")[0].rstrip(":") for word in words}
    return [*words, *(f"{field}=" for field in fields if field not in there)]


def _edited(
    table: Table, start: ColumnMap, fields: Sequence[str], closed: Iterable[str], key: str
) -> list[str]:
    """The words of the map on screen, which begins with `start`; `closed` are left out unsaid."""
    rows, more = map_rows(table, start)
    edited = st.data_editor(
        pd.DataFrame(rows, columns=["column", "values", "field", "name", "criterion"]),
        key=f"{key}.columns.{digest(repr([row['column'] for row in rows]))}",  # kept by place
        hide_index=True,
        num_rows="fixed",
        disabled=("column", "values"),
        height=_ROW_PX * (min(len(rows), _SHOWN_ROWS) + 1) + 3,
        column_config={
            "column": st.column_config.TextColumn(say("Column")),
            "values": st.column_config.TextColumn(say("Values"), width="large"),
            "field": st.column_config.SelectboxColumn(
                say("Field"),
                options=fields,
                format_func=lambda field: say(_LABELS.get(field) or field.replace("_", " ")),
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
    read = edited.astype(object).where(edited.notna(), None).to_dict("records")
    return words_of(read, lines.splitlines(), closed)
