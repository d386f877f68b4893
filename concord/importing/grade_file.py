"""Grades made elsewhere, read from a file of their own in long form.

One row is a score of a whole answer or, under a rubric of units, a verdict on one of its units.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from concord.importing import scores as of_score
from concord.importing import unit_verdicts
from concord.importing.columns import ColumnMap, ScoreColumn, column_map, opened, prepared
from concord.importing.deduplicate import StreamedGrades
from concord.importing.faults import Checked, Lost, score_name
from concord.importing.fields import GRADE_FIELDS, OF_UNITS, folded
from concord.importing.grade_rows import GradeReader
from concord.importing.readers import cells as of_cell
from concord.importing.readers.cells import BadCell
from concord.importing.readers.formats import open_table
from concord.importing.readers.table import BadRow, Record, Table, one_line
from concord.importing.unit_verdicts import (
    ListCheck,
    NamedUnit,
    UnitReference,
    skipped_rubric_notes,
    spoken,
    unit_meant,
)
from concord.messages import Problem, joined, said
from concord.model import ItemKeys, answer_key, item_key, question_key
from concord.rubrics.model import Rubric

# So many names of a sheet are examples.
_SHOWN = 3
Units = Mapping[str, Mapping[Hashable, Sequence[NamedUnit]]]
Lists = Mapping[str, Mapping[Hashable, Sequence[unit_verdicts.StoredList]]]


@dataclass(frozen=True)
class GradeSheet(Checked):
    """Result of reading a file of grades; `elsewhere` counts rows of other unit rubrics.

    `checks` are annotators' checks of unit lists, which are not grades under a rubric.
    """

    elsewhere: Mapping[str, int] = field(default_factory=dict)
    checks: tuple[ListCheck, ...] = ()

    def skipped(self) -> list[str]:
        """A sentence for each criterion whose rows are left for another import."""
        return skipped_rubric_notes(self.elsewhere)


def load(
    given: str | Path | bytes,
    name: str = "",
    *,
    rubric: Rubric | Sequence[Rubric],
    known: Mapping[str, Hashable],
    units: Units | None = None,
    mapped: Iterable[str] = (),
    encoding: str | None = None,
    worksheet: str | None = None,
    max_bytes: int | None = None,
    words: of_score.Words | None = None,
) -> GradeSheet:
    """Read a file of grades in one go: `open_table`, `column_map`, `read`."""
    table = open_table(given, name, encoding=encoding, worksheet=worksheet, max_bytes=max_bytes)
    columns = column_map(table.columns, mapped, GRADE_FIELDS)
    return read(table, columns, rubric, known, units, words=words)


def read(
    table: Table,
    columns: ColumnMap,
    rubric: Rubric | Sequence[Rubric],
    known: Mapping[str, Hashable],
    units: Units | None = None,
    lists: Lists | None = None,
    words: of_score.Words | None = None,
    spread: of_score.Spread | None = None,
) -> GradeSheet:
    """Read and check every row; a row that is bad in one cell gives its first fault.

    Identical repeats fold; where one grader gives one item two different grades, both rows are bad.

    Args:
        table: The file.
        columns: Its columns under `GRADE_FIELDS`.
        rubric: Whose criteria and scale the grades are on; several only where all are of units.
        known: By each key of an item (`Item.keys`), what it names; None where it fits several.
        units: By kind, and by what a key names, the units of an item (`unit_names.of_sheet`).
        lists: The same of lists (`unit_verdicts.of_sheet`); rows on others are left.
        words: Scores by word (`scores.words_to_scores`).
        spread: Scores by number of 0 to 1 (`proposals.zero_to_one`).

    Raises:
        Problem: a needed column is missing or ambiguous.
    """
    rubrics = (rubric,) if isinstance(rubric, Rubric) else tuple(rubric)
    columns = prepared(columns, rubrics)
    table = opened(table, columns)
    reader = GradeReader(table.columns, columns, rubrics, words, spread)
    reading = _Reading(table, reader, known, units or {}, lists or {}, words)
    for record in table.records():
        reading.take(record)
    return reading.finished()


class _Reading:
    """State of the reading so far."""

    def __init__(self, table, reader, known, units, lists, words):
        self._table, self._reader, self._known, self._words = table, reader, known, words or {}
        self._columns, self._rubrics, self._units = reader.columns, reader.rubrics, units
        self._elsewhere: Counter[str] = Counter()
        self._lists = {folded(f"{kind}_list"): (kind, of) for kind, of in lists.items()}
        self._checks: dict[tuple, ListCheck] = {}
        # An export of Concord says the wording of its criterion in each row.
        named = {"version", "grade_row", "item_row"} <= {*table.columns}
        self._version = table.columns.index("version") if named else None
        self._versions = {v for one in self._rubrics for v in one.versions().values()}
        self._without = {*map(folded, self._columns.without)}
        self._rows = 0
        self._grades = StreamedGrades(self._rubrics)
        self._bad: list[BadRow] = []
        self._lost = Lost(Counter(), Counter())

    def take(self, record: Record) -> None:
        self._rows += 1
        if record.fault:
            self._refuse(record, BadCell(record.fault))
        elif not all(map(of_cell.is_blank, record.cells)) and not self._is_elsewhere(record):
            for column, place in self._reader.scores or ((None, None),):
                self._take_grade(record, column, place)

    def finished(self) -> GradeSheet:
        grades, faults = self._grades.gathered()
        for fault in faults:
            column = fault.column or self._columns.column(fault.field)
            bad = BadRow(fault.row, fault.line, column, fault.problem, value=fault.value)
            self._bad.append(bad)
        self._lost.grades.update(self._grades.left_out)
        return GradeSheet(
            table=self._table,
            columns=self._columns,
            rows=self._rows,
            grades=grades,
            bad_rows=sorted(self._bad, key=lambda bad: bad.row),
            folded=self._grades.folded,
            lost=dict(self._grades.lost),
            not_taken=self._lost,
            sha256=self._table.source.sha256(),
            elsewhere=dict(self._elsewhere),
            checks=tuple(self._checks.values()),
        )

    def _is_elsewhere(self, record):
        """True for a row that is left out or of another rubric of units, list or wording."""
        named = self._without and folded(of_cell.shown(self._reader.cell(record, "criterion")))
        if self._without and named in self._without:
            return True
        return self._is_of_other_units(record) or self._is_of_other_wording(record)

    def _is_of_other_wording(self, record):
        if self._version is None or record.cells[self._version] in self._versions:
            return False
        self._elsewhere[str(record.cells[self._version])] += 1
        return True

    def _is_of_other_units(self, record):
        if not self._rubrics[0].units:
            return False
        cell = self._reader.cell(record, "criterion")
        word = folded(cell) if isinstance(cell, str) else ""
        mine = {folded(rubric.criteria[0].name) for rubric in self._rubrics}
        if word not in spoken() - mine:
            return False
        if word in self._lists:
            self._take_check(record, *self._lists[word])
            return True
        self._elsewhere[cell.strip()] += 1
        return True

    def _take_check(self, record, kind, lists):
        """Record an annotator's check of a list; equal duplicates count once."""
        try:
            item_id = self._known[self._item_key(record)]
            grade = self._checked(record, kind)
            text = self._read(record, "unit", of_cell.text)
            row = self._read(record, "list_row", of_cell.number)
            list_id = unit_verdicts.meant(lists.get(item_id, ()), text, row)
            found = ListCheck(item_id, list_id, kind, grade)
            before = self._checks.setdefault((list_id, grade.grader, grade.repeat), found).grade
            if (before.label, before.status) != (grade.label, grade.status):
                raise BadCell(
                    "row {row} contradicts it for the same list.",
                    "label",
                    row=before.row,
                    fault_code="two_grades",
                )
        except BadCell as fault:
            column = self._name(fault.column) if fault.column in GRADE_FIELDS else fault.column
            self._refuse(record, BadCell(str(fault), column))

    def _checked(self, record, kind):
        if self._read(record, "grader_kind", of_score.kind) != "person":
            raise BadCell(
                "only annotators check lists. Leave the row out.",
                "grader_kind",
                fault_code="not_of_an_annotator",
            )
        label = unit_verdicts.label(self._read(record, "label", of_cell.text))
        grader = self._read(record, "grader", of_cell.name)
        if grader is None:
            raise BadCell(
                "the grader is missing. Name the grader.", "grader", fault_code="no_grader"
            )
        status = self._read(record, "status", lambda c: of_score.status(c, label is not None))
        more = {"score": None, "status": status, "label": label, "column": self._name("label")}
        return self._reader.grade(
            record, grader=grader, grader_kind="person", criterion=f"{kind}_list", **more
        )

    def _take_grade(self, record, column: ScoreColumn | None, place):
        """One grade; in a column of one grader's scores an empty cell is no grade."""
        if column and of_cell.is_blank(record.cells[place]):
            return
        try:
            key = self._item_key(record)
            if column:
                grade = self._reader.of_column(record, column, record.cells[place])
            else:
                grade = self._reader.long(record)
            if grade is None:  # a word for no grade
                return
            rubric = self._reader.criterion(grade.criterion)[1]
            if rubric.units:
                grade = self._of_unit(record, rubric, key, grade)
        except BadCell as fault:
            self._refuse(record, fault, column)
            return
        self._grades.add(grade._replace(item_key=key), record.line, self._known[key])

    def _of_unit(self, record, rubric, key, grade):
        """The grade with the unit that the row means and the label of its score."""
        known = self._units.get(rubric.units, {}).get(self._known[key], ())
        reference = UnitReference(
            self._read(record, "unit", of_cell.text),
            *(self._read(record, f, of_cell.number) for f in ("unit_id", "unit_number")),
            self._read(record, "unit_row", of_cell.number),
        )
        try:
            unit = unit_meant(known, reference, rubric)
        except BadCell as fault:
            there = (fault.column, *OF_UNITS)
            raise BadCell(str(fault), next(filter(None, map(self._name, there)))) from None
        labels = {level.score: str.__str__(level.label) for level in rubric.criteria[0].levels}
        return grade._replace(unit=unit, label=labels.get(grade.score))

    def _item_key(self, record):
        """Return the key of the item in a row, if exactly one matches."""
        field, key, words = self._named_item(record)
        if key not in self._known:
            raise self._unknown(record, field, words)
        if field == "item_id" and isinstance(self._known, ItemKeys) and key in self._known.shown:
            self._check_shown(record, key, words)
        if self._known[key] is None:
            raise BadCell(
                "{words} matches several items. Name one by its item_id.",
                self._name(field),
                words=words,
                fault_code="several_items",
            )
        return key

    def _unknown(self, record, field, words):
        """The fault that the sheet has no such answer, with some of those that it has."""
        there = self._sheet.get(None, [])
        if field != "item_id":
            _, key, _ = self._by_answer(record)
            question, model = json.loads(key)
            if field == "question_id" and question not in self._sheet:
                words = said("question “{question}”", question=self._excerpt(record, field))
            there = [name for name in self._sheet.get(question, ()) if name]
            if there and model is None:
                return BadCell(
                    "question “{question}” was answered by {models}. Map a column to the "
                    "answering model too.",
                    self._name(field),
                    question=self._excerpt(record, field),
                    models=_quoted(there),
                    fault_code="no_answer_model",
                )
            field = "answer_model" if there else field
        if not there:
            return BadCell(
                "there is no {words} in the sheet. Correct it, or import the answers first.",
                self._name(field),
                words=words,
                fault_code="no_item",
            )
        return BadCell(
            "there is no {words} in the sheet. It has, for example, {there}. Correct the file, or "
            "import the answers first.",
            self._name(field),
            words=words,
            there=_quoted(there),
            fault_code="no_item",
        )

    @cached_property
    def _sheet(self) -> Mapping[str | None, list[str | None]]:
        """The answering models of the sheet by the key of the question; its ids under None."""
        found = defaultdict(list)
        for name, *model in map(json.loads, self._known):
            found[name if model else None].append(*(model or [name]))
        return found

    def _check_shown(self, record, key, words):
        """Refuse a name that lists show for several answers, or for another one than the row's."""
        try:
            found = self._known.find(self._read(record, "item_id", of_cell.name))
        except Problem as several:
            raise BadCell(str(several), self._name("item_id")) from None
        _, by_answer, answer = self._by_answer(record)
        if self._known.get(by_answer) not in (None, found):
            raise BadCell(
                "{words} is not the {answer}. Correct one of them.",
                self._name("item_id"),
                words=words,
                answer=answer,
                fault_code="another_item",
            )

    def _named_item(self, record):
        own = self._read(record, "item_id", of_cell.name)
        if own is not None:
            return "item_id", item_key(own), said("item “{id}”", id=of_cell.excerpt(own))
        field, key, words = self._by_answer(record)
        if key is None:
            field = next(f for f in ("item_id", "question_id", "question") if self._name(f))
            raise BadCell(
                "there is no item id. Give the item_id, or the question_id and, if several models "
                "answered, the answer_model.",
                self._name(field),
                fault_code="no_item_id",
            )
        return field, key, words

    def _by_answer(self, record):
        """Return the field, key and words of an answer named by question and answering model."""
        question_id = self._read(record, "question_id", of_cell.name)
        text = self._read(record, "question", of_cell.text)
        model = self._read(record, "answer_model", of_cell.name)
        field = "question_id" if question_id is not None else "question"
        if question_id is None and not text.strip():
            return field, None, ""
        cluster = self._read(record, "cluster", of_cell.name)
        key = answer_key(question_key(question_id, text, cluster), model)
        question = of_cell.excerpt(question_id or text)
        words = said(
            "answer without an answering model to question “{question}”", question=question
        )
        if model:
            words = said(
                "answer by “{model}” to question “{question}”",
                model=of_cell.excerpt(model),
                question=question,
            )
        return field, key, words

    def _read(self, record, field, read):
        return self._reader.read(record, field, read)

    def _excerpt(self, record, field):
        return of_cell.excerpt(self._read(record, field, of_cell.text))

    def _name(self, field):
        return self._columns.column(field)

    def _refuse(self, record, fault, column=None):
        """A bad row, with the graders and scores that are lost with it, as far as known."""
        self._bad.append(self._table.bad(record, fault.column, str(fault)))
        reader, width = self._reader, len(record.cells)
        lost = [
            (reader.name(record, score.grader), record.cells[place])
            for score, place in reader.scores
            if column in (None, score)
            and place < width
            and not of_cell.is_blank(record.cells[place])
        ]
        if not reader.scores:
            field = "score" if self._name("score") else "label"
            grader = of_cell.shown(reader.cell(record, "grader")).strip()
            lost = [(grader, reader.cell(record, field))]
        self._grades.lost.update({grader for grader, _ in lost if grader})
        for _, cell in lost:
            if not of_cell.is_blank(cell):
                self._lost.grades[score_name(one_line(cell), self._words)] += 1


def _quoted(names):
    """The first names of a sheet in quotes."""
    return joined(", ", [said("“{name}”", name=of_cell.excerpt(name)) for name in names[:_SHOWN]])
