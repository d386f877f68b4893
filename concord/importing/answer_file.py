"""An answer sheet read from a file: its items, its grades, and every row that cannot be taken.

Grades are in columns of one grader each, one per row, or in lists, one per object: the column
`score=annotations.{n}.result.{m}.value` has a placeholder for each list, and the other fields of
the grade are read at the same places, as its grader from `annotations.{n}.completed_by`.
"""

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from concord.importing import column_paths
from concord.importing.columns import (
    OF_GRADES,
    ColumnMap,
    check_columns,
    column_map,
    opened,
    resolved,
)
from concord.importing.deduplicate import AnswerStage, GradeStage
from concord.importing.faults import MODEL, Checked, Flag
from concord.importing.grade_rows import GradeReader, has_probabilities, own_keys, shown
from concord.importing.item_rows import ItemRows
from concord.importing.numbering import Numbers
from concord.importing.readers import cells as of_cell
from concord.importing.readers.cells import BadCell
from concord.importing.readers.formats import open_table
from concord.importing.readers.table import BadRow, Table, one_line
from concord.importing.scores import Words, several
from concord.messages import Problem, joined, on_command_line, said
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
# Where null is no answer; a blank cell of a text or a spreadsheet is an empty one.
_WITH_NULL = ("json", "jsonl", "parquet")
_FLAGS = {
    "no_answer": "Missing answers (null): {n:,}. They are left out.",
    "empty_answer": "Empty answers: {n:,}. They are imported and graded like any other.",
    "no_contexts": "Answers without contexts: {n:,}.",
    "ids_only": (
        "Answers whose contexts have ids but no text: {n:,}. Only retrieval metrics can be "
        "computed for them."
    ),
    "one_text": (
        "Contexts given as plain text: {n:,}. Each is imported as one context; if there were "
        "several, use a JSON list."
    ),
    "bracketed": (
        "Contexts in brackets that are not a valid list: {n:,}. Each is imported as one context."
    ),
    "cut_off": (
        "Answers of exactly 32,767 characters: {n:,}. Spreadsheet programs truncate cells at this "
        "length; check that the answers are complete."
    ),
    "replaced": (
        "Items with the replacement character �: {n:,}. A character was lost earlier; check the "
        "encoding."
    ),
    "respelled": "Questions that differ only in case or spaces: {n:,}. The first spelling is used.",
    "blank": "Blank rows skipped: {n:,}.",
    "folded": "Duplicate rows merged into an earlier row: {n:,}.",
    "doubled": (
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
    numbers: Numbers | None = None,
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
    rubrics = several(rubric)
    items_of = ItemRows(with_paths.columns, columns, table.format in _WITH_NULL)
    _check_grades(columns, rubrics)
    grades_of = GradeReader(with_paths.columns, columns, rubrics, words)
    is_graded = bool(columns.scores) or "score" in columns.fields
    answers, grades = AnswerStage(), GradeStage(rubrics)
    bad: list[BadRow] = []
    lost: Counter[tuple[str, str | None]] = Counter()
    flagged: dict[str, Sequence[int]] = defaultdict(lambda: array("q"))
    rows = last = 0
    for record in with_paths.records():
        # A row may hold several answers, each in a record of its own.
        rows += record.row != last
        last = record.row
        try:
            if record.fault:
                raise BadCell(record.fault)
            read_items, doubt, missing = items_of.read(record)
        except BadCell as fault:
            # A blank row has no question, so that it is always one of these.
            if not record.fault and all(map(of_cell.is_blank, record.cells)):
                flagged["blank"].append(record.row)
                continue
            bad.append(table.bad(record, fault.column, str(fault)))
            read_items, doubt, missing = [], "", 0
        if missing:
            flagged["no_answer"].extend([record.row] * missing)
        if not read_items:
            lost.update((MODEL, name) for name in items_of.models(record))
            for row in grades_of.rows(record):
                if not of_cell.is_blank(row.get("score")):
                    grades.lose(shown(row, "grader"), one_line(row["score"]), words)
            continue
        for item in read_items:
            item = numbers(item) if numbers else item
            identity = answers.add(item, record.line)
            answer = item.answer
            if not answer.strip():
                flagged["empty_answer"].append(item.row)
            if lacks := _lacking(item.contexts):
                flagged[lacks].append(item.row)
            if len(answer) == _SPREADSHEET_CELL_CHARACTERS:
                flagged["cut_off"].append(item.row)
            if "\ufffd" in answer or "\ufffd" in item.question:
                flagged["replaced"].append(item.row)
        if doubt:
            flagged[doubt].append(record.row)
        for row in grades_of.rows(record) if is_graded else ():
            if of_cell.is_blank(row.get("score")) and not has_probabilities(row):
                continue
            try:
                if grade := grades_of.grade(row, record, item_key=identity):
                    grades.add(grade, record.line)
            except BadCell as fault:
                grades.lose(shown(row, "grader"), one_line(row.get("score")), words)
                bad.append(table.bad(record, fault.column, str(fault)))
    items = answers.compared(columns)
    kept = grades.compared(columns, {item.identity for item in answers.refused})
    lost.update((MODEL, item.answer_model) for item in answers.refused)
    flagged |= {"folded": answers.folded, "doubled": grades.doubled, "respelled": answers.respelled}
    flags = [
        Flag(kind, len(found), tuple(found[:_FLAG_ROWS]), said(sentence, n=len(found)))
        for kind, sentence in _FLAGS.items()
        if (found := flagged[kind])
    ]
    return AnswerSheet(
        table=table,
        columns=columns,
        rows=rows,
        items=items,
        grades=kept,
        bad_rows=sorted((*bad, *answers.bad, *grades.bad), key=lambda bad: bad.row),
        flags=(*flags, *_scale_flags(rubrics, grades, kept)),
        folded=len(answers.folded),
        lost=lost + grades.lost,
        sha256=table.source.sha256(),
    )


def _check_grades(columns: ColumnMap, rubrics: Sequence[Rubric]) -> None:
    """A Problem where scores are mapped that no rubric, grader or single answer can take."""
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


@lru_cache(maxsize=1)  # answers to one question share their contexts
def _lacking(contexts: tuple[Context, ...]) -> str:
    """Return what contexts lack: the flag `no_contexts` or `ids_only`; '' for those with a text."""
    if any([one.text.strip() for one in contexts]):
        return ""
    return "ids_only" if any(one.id or one.doc_id for one in contexts) else "no_contexts"


def _scale_flags(
    rubrics: Sequence[Rubric], stage: GradeStage, grades: Iterable[Grade]
) -> Iterator[Flag]:
    """Flag criteria that judges and annotators do not share, and numbers of 0 to 1 on wider scales.

    No judge is compared on a criterion of its own, and the second may be of another range.
    """
    titles = {name: title for one in rubrics for name, title in one.headings().items()}
    theirs, judged = (
        {titles.get(name, name) for kind in kinds for name in stage.criteria[kind]}
        for kinds in (("person", "mean"), ("judge",))
    )
    if theirs and judged and theirs.isdisjoint(judged):
        text = said(
            "Annotators graded {theirs}, judges {judged}. A judge is compared with annotators on "
            "the same criterion. Where one is the same as another, choose the two under “Same "
            "criteria”{on_command_line}.",
            theirs=joined(", ", sorted(theirs)),
            judged=joined(", ", sorted(judged)),
            on_command_line=on_command_line(f'--map "criterion:{min(judged)}={min(theirs)}"'),
        )
        yield Flag("no_shared_criterion", 1, (), text)
    # Of several rubrics each criterion has its own scale.
    if len(rubrics) != 1 or rubrics[0].units or rubrics[0].scale[-1] <= 1:
        return
    low, high = rubrics[0].scale[0], rubrics[0].scale[-1]
    narrow = [name for name, far in stage.beyond.items() if name and far <= 0.5]
    annotators = 0 < stage.beyond.get("", 0) <= 0.5
    count = sum(grade.grader in narrow for grade in grades) if narrow else 0
    for kind, n, graders, option in (
        ("annotators_zero_to_one", int(annotators), "annotators", f"--score 1={high}"),
        ("zero_to_one", count, ", ".join(narrow[:5]), f"grades --score 0-1={low}-{high}"),
    ):
        text = said(
            "All scores of {graders} lie within 0 to 1, and the scale of {rubric} is {low} to "
            "{high}. They are kept as they are, but bias, errors and composites would mix two "
            "ranges. Choose a rubric of 0 to 1, or map the numbers under “Import "
            "grades”{on_command_line}.",
            graders=graders,
            rubric=rubrics[0].name,
            low=low,
            high=high,
            on_command_line=on_command_line(option),
        )
        if n:
            yield Flag(kind, n, (), text)
