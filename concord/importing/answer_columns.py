"""Columns of an answer sheet: those it needs, those that may be answers, and its first rows."""

from collections.abc import Container
from itertools import islice

from concord.importing import conversation
from concord.importing.columns import ColumnMap, answer_candidates, opened, resolved
from concord.importing.fields import REQUIRED
from concord.importing.proposals import name_words
from concord.importing.readers import cells as of_cell
from concord.importing.readers import safe_reading
from concord.importing.readers.table import Record, Table
from concord.messages import Problem, said

# Words in the names of columns that hold no answers of a model.
_OTHERS = (
    name_words.REFERENCE
    | name_words.CONTEXT
    | name_words.QUESTION
    | name_words.REASON
    | name_words.GRADER
    | name_words.ID
)


def check_columns(table: Table, columns: ColumnMap) -> None:
    """Check that every needed column is there, and that none is ambiguous.

    Raises:
        Problem: naming the columns there are, and how to say which is which.
    """
    check_has_questions(table, columns.fields)
    needed = required(table, columns)
    if "answer" in needed:
        _suggest_wide(table, columns)
    resolved(columns, needed)


def check_has_questions(table: Table, mapped: Container[str]) -> None:
    """Check that a HELM file of values by instance, which accompanies the answers, has questions.

    Raises:
        Problem: naming the file of the same run that has them.
    """
    if {"instance_id", "train_trial_index"} <= {*table.columns} and "question" not in mapped:
        raise Problem(
            "{file} has values of HELM by instance, without the questions. Import "
            "scenario_state.json of the same run, which has questions, answers and annotations.",
            file=table.source.name,
            fault_code="no_questions",
        )


def head(table: Table, rows: int = 50) -> list[Record]:
    """The first records that can be read."""
    records = table.records()
    found = list(islice(records, rows))
    records.close()
    return [record for record in found if record.fault is None]


def required(table: Table, columns: ColumnMap) -> set[str]:
    """The fields without which the file is no answer sheet; a conversation holds both."""
    table = opened(table, columns)
    question, turns = columns.column("question"), columns.column("turns")
    if question is None:
        return REQUIRED if turns is None else set()
    place = table.columns.index(question)
    cells = (record.cells[place] for record in head(table))
    first = next((cell for cell in cells if not of_cell.is_blank(cell)), None)
    return {"question"} if conversation.is_conversation(first) else REQUIRED


def wide_candidates(table: Table, columns: ColumnMap) -> tuple[str, ...]:
    """Return columns that may each hold one answering model's answers, without an answer column."""
    records = [dict(zip(table.columns, r.cells, strict=False)) for r in head(table)]
    found = [c for c in answer_candidates(columns, records) if not _names_another_field(c)]
    return tuple(found) if len(found) > 1 else ()


def _names_another_field(column):
    parts = name_words.words(column)
    is_answer = name_words.has(parts, name_words.ANSWER)
    return name_words.has(parts, name_words.REFERENCE if is_answer else _OTHERS)


def _suggest_wide(table, columns):
    """Suggest a wide layout for a sheet without an answer column; never assumed without asking."""
    candidates = wide_candidates(table, columns)
    if 0 < len(candidates) <= safe_reading.LISTED:
        words = " ".join(f'--map "answer:{column}={column}"' for column in candidates)
        raise Problem(
            "No column is recognised as the answer. Say which one it is, as in --map "
            "answer=COLUMN; or if each of these holds the answers of one answering model: {given}",
            given=words,
            on_screen=said(
                "No column is mapped to the answer yet. Choose it above, or choose “One column "
                "per answering model”."
            ),
            fault_code="no_column",
        )
