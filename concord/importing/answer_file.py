"""An answer sheet read from a file: its items, its grades, and every row that cannot be taken.

Grades are in columns of one grader each, one per row, or in lists, one per object: the column
`score=annotations.{n}.result.{m}.value` has a placeholder for each list, and the other fields of
the grade are read at the same places, as its grader from `annotations.{n}.completed_by`.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from concord.importing.columns import (
    OF_GRADES,
    ColumnMap,
    check_columns,
    column_map,
    opened,
    resolved,
)
from concord.importing.deduplicate import AnswerStage, GradeStage
from concord.importing.faults import FLAGS, Checked
from concord.importing.grade_rows import GradeReader, has_probabilities, own_keys
from concord.importing.item_rows import ItemRows
from concord.importing.numbering import Numbers
from concord.importing.readers import cells as of_cell
from concord.importing.readers.cells import BadCell
from concord.importing.readers.formats import open_table
from concord.importing.readers.table import Table
from concord.importing.scores import Spread, Words, several
from concord.messages import Problem, on_command_line
from concord.model import BadRow
from concord.rubrics.model import Rubric

# Spreadsheet programs cut a cell here without a word.
_SPREADSHEET_CELL_CHARACTERS = 32_767
# Where null is no answer; a blank cell of a text or a spreadsheet is an empty one.
_WITH_NULL = ("json", "jsonl", "parquet")


def load(
    given: str | Path | bytes,
    name: str = "",
    mapped: Iterable[str] = (),
    rubric: Rubric | None = None,
) -> Checked:
    """Read an answer sheet in one go: `open_table`, `column_map`, `read`."""
    table = open_table(given, name)
    return read(table, column_map(table.columns, mapped), rubric)


def read(
    table: Table,
    columns: ColumnMap,
    rubric: Rubric | Sequence[Rubric] | None = None,
    words: Words | None = None,
    numbers: Numbers | None = None,
    spread: Spread = (),
) -> Checked:
    """Read and check every row. A row that is bad in one cell gives its first fault.

    The same item twice with the same content is folded; with different content both rows are bad.
    A refused score leaves the row's item and its other scores good. The criteria of several rubrics
    differ. `words` are scores by word (`scores.words_to_scores`); with `numbers` answers without an
    id get one; numbers of the criteria in `spread` are mapped from 0 to 1 to the scale.

    Raises:
        Problem: a needed column is missing or ambiguous, or scores are mapped that no rubric or
            no single answering model can take.
    """
    if table.origin:
        columns = columns._replace(leftovers=table.origin.kept(columns.leftovers))
    with_paths = opened(table, columns)
    check_columns(with_paths, columns)
    rubrics = several(rubric)
    items_of = ItemRows(with_paths.columns, columns, table.format in _WITH_NULL)
    is_graded = _check_grades(columns, rubrics)
    grades_of = GradeReader(with_paths.columns, columns, rubrics, words, spread)
    answers, grades = AnswerStage(), GradeStage(rubrics)
    bad: list[BadRow] = []
    flags = Counter()
    rows = last = 0
    for record in with_paths.records():
        # A row may hold several answers, each in a record of its own.
        rows += record.row != last
        last = record.row
        try:
            if record.fault:
                raise BadCell(record.fault)
            items, missing = items_of.read(record)
        except BadCell as fault:
            # A blank row has no question, so that it is always one of these.
            if not record.fault and all(map(of_cell.is_blank, record.cells)):
                flags["blank"] += 1
                continue
            bad.append(BadRow(record.row, fault.column, str(fault)))
            continue
        flags["no_answer"] += missing
        for item in items:
            item = numbers(item) if numbers else item
            identity = answers.add(item)
            answer = item.answer
            flags["empty_answer"] += not answer.strip()
            flags["cut_off"] += len(answer) == _SPREADSHEET_CELL_CHARACTERS
            flags["replaced"] += "\ufffd" in answer or "\ufffd" in item.question
        for row in grades_of.rows(record) if is_graded and items else ():
            if of_cell.is_blank(row.get("score")) and not has_probabilities(row):
                continue
            try:
                if grade := grades_of.grade(row, record, item_key=identity):
                    grades.add(grade)
            except BadCell as fault:
                bad.append(BadRow(record.row, fault.column, str(fault)))
    kept_items = answers.compared(columns)
    kept = grades.compared(columns, answers.refused)
    flags["respelled"], flags["folded"] = answers.respelled, answers.folded
    flags["folded_grades"] = grades.folded
    return Checked(
        table=table,
        columns=columns,
        rows=rows,
        items=kept_items,
        grades=kept,
        bad_rows=sorted((*bad, *answers.bad, *grades.bad), key=lambda bad: bad.row),
        flags={flag: flags[flag] for flag in FLAGS if flags[flag]},
        folded=answers.folded,
        sha256=table.source.sha256(),
    )


def _check_grades(columns: ColumnMap, rubrics: Sequence[Rubric]) -> bool:
    """Whether there are grades; a Problem where no rubric, grader or answer can take them."""
    is_long = not columns.fields.keys().isdisjoint(("score", "probabilities"))
    if not (columns.scores or is_long):
        return False
    if not rubrics:
        raise Problem(
            "Grades in a sheet need a rubric. Name it{option}.",
            option=on_command_line("--rubric"),
            fault_code="no_rubric",
        )
    if columns.answers:
        raise Problem(
            "In a sheet with one column per answering model, a score does not say which model it "
            "is for. Import the answers first, then the grades from a separate file.",
            fault_code="no_answer_model",
        )
    reason = columns.column("reason")
    if len(columns.scores) > 1 and reason and not own_keys(reason, columns):
        raise Problem(
            "With several score columns, it is unclear which one the column of reasons is for. "
            "Leave it out.",
            fault_code="several_columns",
        )
    if is_long:
        criteria = sum(len(rubric.criteria) for rubric in rubrics)
        resolved(columns, OF_GRADES[: 2 if criteria == 1 else 3])
    return True
