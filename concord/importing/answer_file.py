"""An answer sheet read from a file: its items, its grades, and every row that cannot be taken."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from pathlib import Path

from concord.importing.answer_grades import AnswerGrades
from concord.importing.columns import ColumnMap, check_columns, column_map, opened
from concord.importing.deduplicate import StreamedGrades, StreamedItems
from concord.importing.faults import Checked, Flag, Lost, score_name
from concord.importing.item_rows import ItemRows, RowItems
from concord.importing.numbering import AnswerNumbers
from concord.importing.readers import cells as of_cell
from concord.importing.readers.cells import Cell
from concord.importing.readers.formats import open_table
from concord.importing.readers.table import BadRow, Record, Table, one_line
from concord.importing.scores import Words, several
from concord.messages import joined, on_command_line, said
from concord.model import Context, Grade, Item
from concord.rubrics.model import Rubric

# Spreadsheet programs cut a cell here without a word.
_SPREADSHEET_CELL_CHARACTERS = 32_767
_FLAG_ROWS = 10
# Field of an item that graders are shown -> the fields of a file that give it.
_SHOWN = {
    "contexts": ("contexts", "context_ids", "document_ids"),
    "reference": ("reference",),
    "reference_contexts": ("reference_contexts",),
    "turns": ("turns",),
}
# Records that are read together.
_BATCH = 64
# Where null is no answer; a blank cell of a text or a spreadsheet is an empty one.
_WITH_NULL = ("json", "jsonl", "parquet")
_NONE_HAS_CONTEXTS = said("No answer has contexts.")
_FLAGS = {
    "no_answer": said("Missing answers (null): {n:,}. They are left out."),
    "empty_answer": said("Empty answers: {n:,}. They are imported and graded like any other."),
    "no_contexts": said("Answers without contexts: {n:,}."),
    "ids_only": said(
        "Answers whose contexts have ids but no text: {n:,}. Only retrieval metrics can be "
        "computed for them."
    ),
    "one_text": said(
        "Contexts given as plain text: {n:,}. Each is imported as one context; if there were "
        "several, use a JSON list."
    ),
    "bracketed": said(
        "Contexts in brackets that are not a valid list: {n:,}. Each is imported as one context."
    ),
    "cut_off": said(
        "Answers of exactly 32,767 characters: {n:,}. Spreadsheet programs truncate cells at this "
        "length; check that the answers are complete."
    ),
    "replaced": said(
        "Items with the replacement character �: {n:,}. A character was lost earlier; check the "
        "encoding."
    ),
    "respelled": said(
        "Questions that differ only in case or spaces: {n:,}. The first spelling is used."
    ),
    "blank": said("Blank rows skipped: {n:,}."),
    "folded": said("Duplicate rows merged into an earlier row: {n:,}."),
    "doubled": said(
        "Scores that repeat one of the same grader and criterion in their row: {n:,}. Each is "
        "imported once; if they are of two graders or criteria, map them so."
    ),
}


@dataclass(frozen=True)
class AnswerSheet(Checked):
    """Result of reading an answer sheet; `items` excludes anything a bad row touches.

    The items of a large file are on disk.
    """

    items: Sequence[Item]
    flags: tuple[Flag, ...]

    def not_given(self) -> tuple[str, ...]:
        """The fields of `Item` shown to graders that no column of the file holds."""
        fields = self.columns.fields
        return tuple(to for to, of in _SHOWN.items() if fields.keys().isdisjoint(of))


def load(
    given: str | Path | bytes,
    name: str = "",
    mapped: Iterable[str] = (),
    rubric: Rubric | None = None,
    encoding: str | None = None,
    worksheet: str | None = None,
    max_bytes: int | None = None,
) -> AnswerSheet:
    """Read an answer sheet in one go: `open_table`, `column_map`, `read`."""
    table = open_table(given, name, encoding=encoding, worksheet=worksheet, max_bytes=max_bytes)
    return read(table, column_map(table.columns, mapped), rubric)


def read(
    table: Table,
    columns: ColumnMap,
    rubric: Rubric | Sequence[Rubric] | None = None,
    words: Words | None = None,
    numbers: AnswerNumbers | None = None,
) -> AnswerSheet:
    """Read and check every row. A row that is bad in one cell gives its first fault.

    The same item twice with the same content is folded; with different content both rows are bad.
    A refused score leaves the row's item and its other scores good. The criteria of several rubrics
    differ. `words` are scores by word (`scores.words_to_scores`); with `numbers` answers without an
    id get one.

    Raises:
        Problem: a needed column is missing or ambiguous, or scores are mapped that no rubric or
            no single answering model can take.
    """
    if table.origin:
        columns = columns._replace(leftovers=table.origin.kept(columns.leftovers))
    with_paths = opened(table, columns)
    check_columns(with_paths, columns)
    reading = _Reading(table, with_paths.columns, columns, several(rubric), words, numbers)
    records = with_paths.records()
    while batch := list(islice(records, _BATCH)):
        reading.take(batch)
    return reading.finished()


class _Reading:
    """State of the reading so far."""

    def __init__(self, table, names, columns, rubrics, words, numbers):
        self._numbers, self._rubrics = numbers, rubrics
        self._table, self._columns, self._words = table, columns, words
        self._items_of = ItemRows(names, columns, table.format in _WITH_NULL)
        self._given = AnswerGrades(names, columns, rubrics, words)
        self._graded = bool(columns.scores) or "score" in columns.fields
        self._rows = self._last = self._taken = 0
        self._items = StreamedItems()
        self._grades = StreamedGrades(rubrics)
        self._bad: list[BadRow] = []
        self._lost = Lost(Counter(), Counter())
        self._flagged: dict[str, _Rows] = defaultdict(_Rows)

    def take(self, records: Sequence[Record]) -> None:
        # A row may hold several answers, each in a record of its own.
        self._rows += len({record.row for record in records} - {self._last})
        self._last = records[-1].row
        for record in records:
            if record.fault:
                self._refuse(record, None, record.fault)
        good = [record for record in records if not record.fault]
        for record, found in zip(good, self._items_of.read(good), strict=True):
            self._take_cells(record, found)

    def finished(self) -> AnswerSheet:
        items, compared = self._items.gathered()
        refused = {item.identity for item in compared.left_out()}
        grades, faults = self._grades.gathered(refused)
        for fault in (*compared.faults(), *faults):
            column = fault.column or self._columns.column(fault.field)
            bad = BadRow(fault.row, fault.line, column, fault.problem, value=fault.value)
            self._bad.append(bad)
        self._lost.answers.update(item.answer_model for item in compared.left_out())
        self._lost.grades.update(self._grades.left_out)
        for row in compared.folded_rows:
            self._flagged["folded"].append(row)
        for row in self._grades.doubled:
            self._flagged["doubled"].append(row)
        for row in compared.respelled_rows:
            self._flagged["respelled"].append(row)
        return AnswerSheet(
            table=self._table,
            columns=self._columns,
            rows=self._rows,
            items=items,
            grades=grades,
            bad_rows=sorted(self._bad, key=lambda bad: bad.row),
            flags=(*self._flags(), *self._nothing_shared(), *self._fractions_on_a_scale(grades)),
            folded=len(compared.folded_rows),
            lost=dict(self._grades.lost),
            sha256=self._table.source.sha256(),
            not_taken=self._lost,
        )

    def _take_cells(self, record: Record, found: RowItems) -> None:
        if found.fault:
            # A blank row has no question, so that it is always one of these.
            if all(map(of_cell.is_blank, record.cells)):
                self._flagged["blank"].append(record.row)
            else:
                self._refuse(record, found.fault.column, str(found.fault))
            return
        for _ in range(found.missing):
            self._flagged["no_answer"].append(record.row)
        if not found.items:
            self._lose_row(record)
            return
        for item in found.items:
            item = self._numbers.numbered(item) if self._numbers else item
            identity = self._items.add(item, record.line)
            self._taken += 1
            self._flag(item)
        if found.doubt:
            self._flagged[found.doubt].append(record.row)
        for given in self._given.of(record, identity) if self._graded else ():
            if isinstance(given, Grade):
                self._grades.add(given, record.line)
                continue
            grader, cell, fault = given
            self._lose(grader, cell)
            self._bad.append(self._table.bad(record, fault.column, str(fault)))

    def _refuse(self, record, column, problem):
        """A bad row, with the grades that are lost with it."""
        self._bad.append(self._table.bad(record, column, problem))
        self._lose_row(record)

    def _lose_row(self, record):
        self._lost.answers.update(self._items_of.models(record))
        for grader, cell in self._given.lost(record):
            self._lose(grader, cell)

    def _lose(self, grader: str, cell: Cell) -> None:
        self._grades.lost.update([grader] if grader else [])
        self._lost.grades[score_name(one_line(cell), self._words)] += 1

    def _flag(self, item):
        answer = item.answer
        if not answer.strip():
            self._flagged["empty_answer"].append(item.row)
        if flag := _lacking(item.contexts):
            self._flagged[flag].append(item.row)
        if len(answer) == _SPREADSHEET_CELL_CHARACTERS:
            self._flagged["cut_off"].append(item.row)
        if "\ufffd" in answer or "\ufffd" in item.question:
            self._flagged["replaced"].append(item.row)

    def _flags(self):
        for kind, sentence in _FLAGS.items():
            rows = self._flagged[kind]
            if kind == "no_contexts" and 1 < rows.count == self._taken:
                yield Flag(kind, rows.count, (), _NONE_HAS_CONTEXTS)
            elif rows.count:
                yield Flag(kind, rows.count, tuple(rows.first), said(sentence, n=rows.count))

    def _nothing_shared(self) -> Iterator[Flag]:
        """Flag that annotators and judges graded different criteria: no judge can be compared."""
        of, titles = self._grades.criteria, {}
        for rubric in self._rubrics:
            titles |= rubric.headings()
        theirs, judged = (
            {titles.get(name, name) for kind in kinds for name in of[kind]}
            for kinds in (("person", "mean"), ("judge",))
        )
        if theirs and judged and theirs.isdisjoint(judged):
            text = said(
                "Annotators graded {theirs}, judges {judged}. A judge is compared with annotators "
                "on the same criterion. Where one is the same as another, choose the two under "
                "“Same criteria”{on_command_line}.",
                theirs=joined(", ", sorted(theirs)),
                judged=joined(", ", sorted(judged)),
                on_command_line=on_command_line(f'--map "criterion:{min(judged)}={min(theirs)}"'),
            )
            yield Flag("no_shared_criterion", 1, (), text)

    def _fractions_on_a_scale(self, grades: Iterable[Grade]) -> Iterator[Flag]:
        """Flag graders whose numbers are 0 to 1 where the scale goes further."""
        if len(self._rubrics) != 1:  # else each criterion has its own scale
            return
        rubric = self._rubrics[0]
        found = [name for name, far in self._grades.highest.items() if far <= 0.5]
        if rubric.units or rubric.scale[-1] <= 1:
            return
        yield from self._annotators_below_1(rubric)
        if not found:
            return
        rows = _Rows()
        for grade in grades:
            if grade.grader in found:
                rows.append(grade.row)
        if rows.count:
            text = said(
                "Numbers of {graders} lie within 0 to 1, and the scale of {rubric} is {low} to "
                "{high}. They are kept as they are: correlations hold, but bias, errors and "
                "composites would mix two ranges. To map them, leave them out here and choose “How "
                "are they read?” under “Import grades”{on_command_line}.",
                graders=joined(", ", found[:5]),
                rubric=rubric.name,
                low=rubric.scale[0],
                high=rubric.scale[-1],
                on_command_line=on_command_line(
                    f"grades --score 0-1={rubric.scale[0]}-{rubric.scale[-1]}"
                ),
            )
            yield Flag("zero_to_one", rows.count, tuple(rows.first), text)

    def _annotators_below_1(self, rubric: Rubric) -> Iterator[Flag]:
        """Flag that a 1 of annotators may be the best score of another scale."""
        if 0 < self._grades.highest_of_annotators <= 0.5:
            text = said(
                "All grades by annotators lie within 0 to 1, and the scale of {rubric} is {low} to "
                "{high}. They are kept as they are. If 1 is their best score, choose a rubric of 0 "
                "to 1, or map the numbers{on_command_line}.",
                on_command_line=on_command_line(f"--score 1={rubric.scale[-1]}"),
                rubric=rubric.name,
                low=rubric.scale[0],
                high=rubric.scale[-1],
            )
            yield Flag("annotators_zero_to_one", 1, (), text)


@lru_cache(maxsize=1)  # answers to one question share their contexts
def _lacking(contexts: tuple[Context, ...]) -> str:
    """Return what contexts lack: the flag `no_contexts` or `ids_only`; '' for those with a text."""
    if any([one.text.strip() for one in contexts]):
        return ""
    return "ids_only" if any(one.id or one.doc_id for one in contexts) else "no_contexts"


class _Rows:
    """A number of rows, and the first of them."""

    def __init__(self):
        self.count, self.first = 0, []

    def append(self, row: int) -> None:
        self.count += 1
        if len(self.first) < _FLAG_ROWS:
            self.first.append(row)
