"""Grades in a sheet of answers: columns of one grader each, one per row, or in lists.

In lists there is one grade per object. `score=annotations.{n}.result.{m}.value` has a placeholder
for each list. The other fields of a grade are read at the same places, as its grader from
`annotations.{n}.completed_by`.
"""

from collections.abc import Iterator, Sequence

from concord.importing import column_paths
from concord.importing import scores as of_score
from concord.importing.columns import OF_GRADES, ColumnMap, resolved
from concord.importing.grade_rows import GradeReader, has_probabilities, own_keys, shown
from concord.importing.readers import cells as of_cell
from concord.importing.readers.cells import BadCell, Cell
from concord.importing.readers.table import Record
from concord.messages import Problem, on_command_line
from concord.model import Grade
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
        self._reader = GradeReader(names, columns, rubrics, words)

    def of(self, record: Record, key: str) -> Iterator[Grade | LostGrade]:
        """Yield each grade of a record, or the grader who loses one, the cell and why.

        `key` is that of the item. An empty cell is no grade. Every fault names its column.
        """
        for row in self._reader.rows(record):
            if of_cell.is_blank(row.get("score")) and not has_probabilities(row):
                continue
            try:
                found = self._reader.grade(row, record, item_key=key)
            except BadCell as fault:
                yield shown(row, "grader"), row.get("score"), fault
            else:
                if found:
                    yield found

    def lost(self, record: Record) -> Iterator[tuple[str, Cell]]:
        """Yield the grader and the cell of each grade that is lost with a bad row."""
        for row in self._reader.rows(record):
            if not of_cell.is_blank(row.get("score")):
                yield shown(row, "grader"), row["score"]


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
