"""Grades made elsewhere, read from a file of their own in long form."""

from collections.abc import Hashable, Iterable, Mapping
from pathlib import Path

from data.files import cell as of_cell
from data.files import score as of_score
from data.files.columns import ColumnMap, ScoreColumn, column_map, settle
from data.files.fields import GRADE_FIELDS
from data.files.formats import open_table
from data.files.gathering import GradeGathering
from data.files.refusal import Checked
from data.files.table import BadCell, BadRow, Record, Table
from data.model import Grade, answer_key, item_key, question_key
from problems import Problem
from rubrics.model import Rubric


class GradeSheet(Checked):
    """What reading a file of grades gave."""


def load(
    given: str | Path | bytes,
    name: str = "",
    *,
    rubric: Rubric,
    known: Mapping[str, Hashable],
    said: Iterable[str] = (),
    encoding: str | None = None,
    worksheet: str | None = None,
    max_bytes: int | None = None,
) -> GradeSheet:
    """Read a file of grades in one go: `open_table`, `column_map`, `read`."""
    table = open_table(given, name, encoding=encoding, worksheet=worksheet, max_bytes=max_bytes)
    return read(table, column_map(table.columns, said, GRADE_FIELDS), rubric, known)


def read(
    table: Table, columns: ColumnMap, rubric: Rubric, known: Mapping[str, Hashable]
) -> GradeSheet:
    """Read and check every row; a row that is bad in one cell gives its first fault.

    Identical repeats fold; where one grader gives one item two different grades, both rows are bad.

    Args:
        table: The file.
        columns: Its columns under `GRADE_FIELDS`.
        rubric: Whose criteria and scale the grades are on.
        known: By each key of an item (`Item.keys`), what it names; None where it fits several.

    Raises:
        Problem: a needed column is missing or ambiguous.
    """
    settle(columns, _required(columns, rubric))
    _check_item_columns(columns)
    reading = _Reading(table, columns, rubric, known)
    for record in table.records():
        reading.take(record)
    return reading.finished()


def _required(columns, rubric):
    if columns.scores:
        return set()
    one = len(rubric.criteria) == 1
    return {"score", "grader", "grader_kind"} | (set() if one else {"criterion"})


def _check_item_columns(columns):
    if not {"item_id", "question_id", "question"} & columns.fields.keys():
        listed = ", ".join(f"“{column}”" for column in columns.leftovers)
        raise Problem(
            f"No column says which item a grade is for. Say which one holds the item_id or the "
            f"question_id, as in --map item_id=COLUMN. Columns left: {listed or 'none'}."
        )


class _Reading:
    """What has been read so far."""

    def __init__(self, table, columns, rubric, known):
        self._table, self._columns, self._rubric, self._known = table, columns, rubric, known
        self._places = {f: table.columns.index(c[0]) for f, c in columns.fields.items()}
        self._scores = [(s, table.columns.index(s.column)) for s in columns.scores]
        self._rows = 0
        self._grades = GradeGathering()
        self._bad: list[BadRow] = []

    def take(self, record: Record) -> None:
        self._rows += 1
        if record.fault:
            self._refuse(record, BadCell(record.fault))
        elif not all(map(of_cell.is_blank, record.cells)):
            for column, place in self._scores or ((None, None),):
                self._take_grade(record, column, place)

    def finished(self) -> GradeSheet:
        for fault in self._grades.faults():
            column = self._columns.column(fault.field)
            where = self._table.where
            self._bad.append(BadRow(fault.row, fault.line, column, fault.problem, where))
        grades = self._grades.grades()
        return GradeSheet(
            table=self._table,
            columns=self._columns,
            rows=self._rows,
            grades=grades,
            bad_rows=sorted(self._bad, key=lambda bad: bad.row),
            folded=len(self._grades.folded_rows),
            lost=dict(self._grades.lost),
            sha256=self._table.source.sha256(),
        )

    def _take_grade(self, record, column: ScoreColumn | None, place):
        """One grade; in a column of one grader's scores an empty cell is no grade."""
        if column and of_cell.is_blank(record.cells[place]):
            return
        try:
            key = self._item_key(record)
            grade = self._mapped(record, column, place) if column else self._long(record)
        except BadCell as fault:
            self._refuse(record, fault, column)
            return
        self._grades.add(grade._replace(item_key=key), record.line, self._known[key])

    def _long(self, record):
        kind = self._read(record, "grader_kind", of_score.kind)
        score = self._read(record, "score", lambda c: of_score.score(c, self._rubric.scale, kind))
        scored = score is not None
        grader = self._read(record, "grader", of_cell.name)
        if grader is None:
            raise BadCell("there is no grader. Name who gave the grade.", self._name("grader"))
        return self._grade(
            record,
            grader=grader,
            grader_kind=kind,
            criterion=self._read(
                record, "criterion", lambda c: of_score.criterion(c, self._rubric)
            ),
            score=score,
            status=self._read(record, "status", lambda c: of_score.status(c, scored)),
            column=self._name("score"),
        )

    def _mapped(self, record, column, place):
        try:
            criterion = of_score.criterion(column.criterion, self._rubric)
            score = of_score.score(record.cells[place], self._rubric.scale)
        except BadCell as fault:
            raise BadCell(str(fault), column.column) from None
        return self._grade(
            record,
            grader=column.grader,
            grader_kind=column.kind,
            criterion=criterion,
            score=score,
            status="scored",
            column=column.column,
        )

    def _grade(self, record, **said):
        return Grade(
            item_id=self._read(record, "item_id", of_cell.name),
            question_id=self._read(record, "question_id", of_cell.name),
            answer_model=self._read(record, "answer_model", of_cell.name),
            reason=self._read(record, "reason", of_cell.text),
            repeat=self._read(record, "repeat", of_cell.positive),
            blind=self._read(record, "blind", of_cell.yes),
            seconds=self._read(record, "seconds", of_cell.seconds),
            simulated=bool(self._read(record, "simulated", of_cell.yes)),
            row=record.row,
            **said,
        )

    def _item_key(self, record):
        """The key of the item a row names, if there is exactly one such item."""
        field, key, words = self._named_item(record)
        if key not in self._known:
            raise BadCell(
                f"there is no {words} in the sheet. Correct it, or import the answers first.",
                self._name(field),
            )
        if self._known[key] is None:
            raise BadCell(
                f"{words} fits several items. Name one by its item_id.", self._name(field)
            )
        return key

    def _named_item(self, record):
        own = self._read(record, "item_id", of_cell.name)
        if own is not None:
            return "item_id", item_key(own), f"item “{of_cell.short(own)}”"
        question_id = self._read(record, "question_id", of_cell.name)
        text = self._read(record, "question", of_cell.text)
        model = self._read(record, "answer_model", of_cell.name)
        field = "question_id" if question_id is not None else "question"
        if question_id is None and not text.strip():
            field = next(f for f in ("item_id", "question_id", "question") if f in self._places)
            raise BadCell(
                "there is no id of an item. Give its item_id, or its question_id and, where "
                "several models answered, its answer_model.",
                self._name(field),
            )
        by = f"by “{of_cell.short(model)}”" if model else "without an answering model"
        cluster = self._read(record, "cluster", of_cell.name)
        key = answer_key(question_key(question_id, text, cluster), model)
        return field, key, f"answer {by} to question “{of_cell.short(question_id or text)}”"

    def _read(self, record, field, read):
        place = self._places.get(field)
        try:
            return read(None if place is None else record.cells[place])
        except BadCell as fault:
            raise BadCell(str(fault), self._name(field)) from None

    def _name(self, field):
        return self._columns.column(field)

    def _refuse(self, record, fault, column=None):
        self._bad.append(self._table.bad(record, fault.column, str(fault)))
        for grader in {column.grader} if column else self._graders(record):
            self._grades.lost[grader] += 1

    def _graders(self, record):
        """Whoever loses a grade with this row, as far as it can be told."""
        if self._scores:
            held = [(s, p) for s, p in self._scores if p < len(record.cells)]
            return {s.grader for s, p in held if not of_cell.is_blank(record.cells[p])}
        place = self._places["grader"]
        cell = record.cells[place] if place < len(record.cells) else None
        return {cell.strip()} if isinstance(cell, str) and cell.strip() else set()
