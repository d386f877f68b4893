"""Grades in a sheet of answers: columns of one grader each, one per row, or in lists.

In lists there is one grade per object. `score=annotations.{n}.result.{m}.value` has a placeholder
for each list. The other fields of a grade are read at the same places, as its grader from
`annotations.{n}.completed_by`.
"""

from collections.abc import Iterator, Sequence

from concord.importing import column_paths
from concord.importing import scores as of_score
from concord.importing.columns import OF_GRADES, ColumnMap, resolved
from concord.importing.grade_rows import GradeLists, GradeReader, own_keys, texts, under_keys
from concord.importing.readers import cells as of_cell
from concord.importing.readers.cells import BadCell, Cell
from concord.importing.readers.table import Record
from concord.messages import Problem, on_command_line
from concord.model import Grade, Item
from concord.rubrics.model import Rubric

LostGrade = tuple[str, Cell, BadCell]


class AnswerGrades:
    """A reader of the grades of records under a column map; `names` are the columns of the records.

    Raises:
        Problem: Scores are mapped that no rubric, grader or single answer can take.
    """

    def __init__(
        self,
        names: Sequence[str],
        columns: ColumnMap,
        rubrics: Sequence[Rubric],
        words: of_score.Words | None = None,
    ):
        _check(columns, rubrics)
        self._columns, self._width = columns, len(names)
        self._reader = GradeReader(names, columns, rubrics, words)
        self._lists = GradeLists(names, columns)

    def of(self, record: Record, item: Item, key: str) -> Iterator[Grade | LostGrade]:
        """Yield each grade of a record, or the grader who loses one, the cell and why.

        An empty cell is no grade. Every fault names its column.
        """
        reader = self._reader
        ids = {
            "item_id": item.own_id,
            "question_id": item.question_id,
            "answer_model": item.answer_model,
            "item_key": key,
        }
        for column, place in reader.scores:
            for score, cell, name in under_keys(column, record.cells[place], self._columns.without):
                try:
                    reason = reader.read(record, "reason", lambda c: self._reason(c, score, name))  # noqa: B023
                    found = reader.of_column(record, score, cell, reason=reason, **ids)
                except BadCell as fault:
                    yield reader.name(record, score.grader), cell, fault
                else:
                    if found:
                        yield found
        for row in self._lists.of(record):
            if not (reader.has(row, "score") or reader.has_probabilities(row)):
                continue
            try:
                found = reader.long(row, **ids)
            except BadCell as fault:
                grader = of_cell.shown(reader.cell(row, "grader")).strip()
                yield grader, reader.cell(row, "score"), fault
            else:
                if found:
                    yield found

    def lost(self, record: Record) -> Iterator[tuple[str, Cell]]:
        """Yield the grader and the cell of each grade that is lost with a bad row."""
        missing = self._width - len(record.cells)
        record = record._replace(cells=(*record.cells, *[None] * missing))
        for column, place in self._reader.scores:
            for score, cell, _ in under_keys(column, record.cells[place], self._columns.without):
                if not of_cell.is_blank(cell):
                    yield self._reader.name(record, score.grader), cell
        for row in self._lists.of(record):
            if self._reader.has(row, "score"):
                grader = of_cell.shown(self._reader.cell(row, "grader")).strip()
                yield grader, self._reader.cell(row, "score")

    def _reason(self, cell, score, name):
        """The reason of a score: that under its key, or that of the grader whom the row names."""
        path = self._columns.column("reason") or ""
        own = own_keys(path, self._columns)
        if not own:
            is_theirs = len(self._reader.scores) == 1 or column_paths.key_name(score.grader)
            return of_cell.text(cell if is_theirs else None)
        is_same = own == own_keys(score.column, self._columns)
        key = name if is_same else column_paths.key_in(path, score.column)
        return of_cell.text(texts(cell.get(key)) if key and isinstance(cell, dict) else None)


def _check(columns: ColumnMap, rubrics: Sequence[Rubric]) -> None:
    long = "score" in columns.fields
    if (columns.scores or long) and not rubrics:
        raise Problem(
            "Grades in a sheet need a rubric. Name it{option}.",
            option=on_command_line("--rubric"),
            fault_code="no_rubric",
        )
    if (columns.scores or long) and columns.answers:
        raise Problem(
            "In a sheet with one column per answering model, a score does not say which model it "
            "is for. Import the answers first, then the grades from a separate file.",
            fault_code="no_answer_model",
        )
    for score in columns.scores:
        named = not column_paths.key_name(score.criterion)
        if named and not any(score.criterion in rubric.versions() for rubric in rubrics):
            rubrics[0].criterion(score.criterion)
    reason = columns.column("reason")
    is_of_row = any(column_paths.key_name(score.grader) for score in columns.scores)
    if len(columns.scores) > 1 and reason and not (is_of_row or own_keys(reason, columns)):
        raise Problem(
            "With several score columns, it is unclear which one the column of reasons is for. "
            "Leave it out.",
            fault_code="several_columns",
        )
    if not long and "probabilities" in columns.fields:
        raise Problem(
            "Probabilities are mapped without a score of each row. Map its column too, and its "
            "grader, kind and criterion{option}; where its cell is empty, the score is read from "
            "them.",
            option=on_command_line("--map score=COLUMN --map grader:=NAME"),
            fault_code="probabilities_alone",
        )
    if long:
        criteria = sum(len(rubric.criteria) for rubric in rubrics)
        resolved(columns, OF_GRADES[: 2 if criteria == 1 else 3])
