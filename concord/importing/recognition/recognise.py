"""Recognition of a tool's export by its shape, and the table of answers that it becomes.

All exports end in one form: a row per answer, with its grades as a list of objects in one column;
or, where the answers are elsewhere, a row per grade.
"""

import codecs
import importlib
import json
import pkgutil
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from concord.importing import tools
from concord.importing.column_paths import as_cell
from concord.importing.fields import GRADE_FIELDS, ITEM_FIELDS
from concord.importing.readers import cells as of_cell
from concord.importing.readers import json_files, safe_reading
from concord.importing.readers.cells import BadCell
from concord.importing.readers.formats import TITLES, checked, open_table
from concord.importing.readers.source import Source, open_source
from concord.importing.readers.table import GRADES, Origin, Record, Table
from concord.importing.recognition.documents import WHOLE_BYTES, Opened, joined, open_documents
from concord.importing.recognition.export import (
    Findings,
    ToolAnswer,
    ToolGrade,
    ToolSource,
    nothing_to_import,
)
from concord.importing.spool import RowSpool
from concord.messages import Problem, on_command_line, said

# Beginnings of files in which no mark can be seen.
_PACKED = {b"PK": "zip", b"PAR1": "parquet"}
# Column of a grade -> field of the record.
OF_GRADE = {
    "grader": "grader",
    "kind": "grader_kind",
    "criterion": "criterion",
    "score": "score",
    "reason": "reason",
    "repeat": "repeat",
    "blind": "blind",
}
_CHUNK_BYTES = 1 << 20
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def open_file(
    given: str | Path | bytes,
    name: str = "",
    *,
    encoding: str | None = None,
    worksheet: str | None = None,
    max_bytes: int | None = None,
) -> Table:
    """The table of a file: of a recognised export, else as `formats.open_table` reads it.

    A `worksheet` that is named is read as it is: no export is looked for.

    Raises:
        Problem: as `open_table`; or the export has no answers, or none that can be imported.
    """
    found = None if worksheet else recognised(given, name, encoding=encoding, max_bytes=max_bytes)
    if found is not None:
        return found
    return open_table(given, name, encoding=encoding, worksheet=worksheet, max_bytes=max_bytes)


def open_grades(
    given: str | Path | bytes,
    name: str = "",
    *,
    encoding: str | None = None,
    worksheet: str | None = None,
    max_bytes: int | None = None,
) -> Table:
    """The same for a file of grades: an export is recognised if its answers are elsewhere."""
    found = None if worksheet else recognised(given, name, encoding=encoding, max_bytes=max_bytes)
    if found is not None and found.origin is not None and found.origin.of == "grades":
        return found
    return open_table(given, name, encoding=encoding, worksheet=worksheet, max_bytes=max_bytes)


def recognised(
    given: str | Path | bytes,
    name: str = "",
    *,
    encoding: str | None = None,
    max_bytes: int | None = None,
) -> Table | None:
    """The table of a file that is an export of a known tool; None for any other file."""
    source = open_source(given, name, max_bytes, TITLES)
    head = head_of(source)
    packed = next((form for magic, form in _PACKED.items() if head.startswith(magic)), None)
    there = set() if packed else marks_found(source, (m for one in sources() for m in one.marks))
    likely = [
        one for one in sources() if (packed in one.forms if packed else there >= {*one.marks})
    ]
    if not likely:
        return None
    with safe_reading.reading(lambda: safe_reading.damaged(source.name)):
        try:
            opened = open_documents(source, head, encoding, likely)
            first = opened and next(opened.documents(), None)
            if first is None:
                return None
            forms = {first.form, "jsonl"} if first.form == "json" else {first.form}
            found = (one for one in likely if forms & {*one.forms})
            tool = next((one for one in found if one.recognises(first)), None)
            if tool:
                _check_unicode(source, opened, tool)
            return checked(_table(source, opened, tool)) if tool else None
        except json.JSONDecodeError:
            return None  # the reader of tables says where


def _check_unicode(source: Source, opened: Opened, tool: ToolSource) -> None:
    """Refuse an export in another encoding, which no tool writes, unless the user chose it."""
    how = opened.encoding
    if how and not (how.chosen or how.is_unicode):
        raise Problem(
            "{file} ({tool}) is not UTF-8: it was saved again. Import the file as the tool wrote "
            "it, or choose its encoding{on_command_line}.",
            file=source.name,
            tool=tool.title,
            on_command_line=on_command_line("`--encoding`"),
            fault_code="encoding",
        )


@cache
def sources() -> tuple[ToolSource, ...]:
    """The declared sources, those of a tool in their order, by the names of the modules."""
    names = sorted(module.name for module in pkgutil.iter_modules(tools.__path__))
    modules = (importlib.import_module(f"{tools.__name__}.{name}") for name in names)
    return tuple(source for module in modules for source in module.SOURCES)


def _table(source: Source, opened: Opened, tool: ToolSource) -> Table:
    """Return the table of an export, whose rows are kept in a temporary file."""
    findings, contents, rows = Findings(), _Contents(), RowSpool()
    is_graded = tool.of == "grades"
    documents = opened.documents()
    for document in joined(source, documents, tool) if tool.whole else documents:
        for read in tool.read(document, findings):
            answer = _with_single_scores(read, findings)
            contents.add(answer)
            for row in _grade_rows(answer) if is_graded else [_row(answer)]:
                rows.add({name: as_cell(json_files.cell(value)) for name, value in row.items()})
    if not rows.count:
        raise nothing_to_import(source.name, tool.title, findings.left_out())
    columns = _columns(rows.columns, (*GRADE_FIELDS,) if is_graded else (*ITEM_FIELDS,))
    safe_reading.check_cells(source.name, rows.count, len(columns))
    origin = Origin(
        tool.title,
        tool.of,
        _grade_words(columns) if is_graded else _words(columns, contents.of_grades),
        tuple(findings.judges.values()),
        findings.left_out(),
        tuple(contents.annotated),
        tuple(contents.judged),
    )
    return Table(
        source,
        opened.form,
        columns,
        lambda: (Record(n, None, tuple(map(row.get, columns))) for n, row in enumerate(rows, 1)),
        opened.encoding,
        origin=origin,
    )


def _with_single_scores(answer: ToolAnswer, findings: Findings) -> ToolAnswer:
    """The answer without grades of no score or of several, of which none may become a number.

    Nor those whose grader or criterion is no text: a rubric could not name it.
    """
    named = tuple(grade for grade in answer.grades if _is_named(grade))
    unnamed = len(answer.grades) - len(named)
    findings.leave_out(said("grades"), said("the grader or the criterion is no text"), unnamed)
    grades = tuple(
        grade
        for grade in named
        if not isinstance(grade.score, list | dict) and not _is_empty(grade.score)
    )
    left_out = len(named) - len(grades)
    findings.leave_out(said("grades"), said("they have no single value"), left_out)
    return answer._replace(grades=grades) if left_out or unnamed else answer


def _is_named(grade: ToolGrade) -> bool:
    """True where both names are text that can be stored: no half of a character in it."""
    try:
        of_cell.text(grade.grader), of_cell.text(grade.criterion)
    except BadCell:
        return False
    return True


class _Contents:
    """What the column map and the origin say of all answers; dictionaries keep the order."""

    def __init__(self) -> None:
        self.of_grades: set[str] = set()
        self.annotated: dict[str, None] = {}
        self.judged: dict[str, None] = {}

    def add(self, answer: ToolAnswer) -> None:
        """Count an answer in."""
        for grade in answer.grades:
            self.of_grades.update(_grade(grade))
            if grade.kind == "annotator":
                self.annotated[grade.criterion] = None
            elif grade.kind == "judge":
                self.judged[grade.criterion] = None


def _columns(there: Iterable[str], first: tuple[str, ...]) -> tuple[str, ...]:
    """Every column of the rows, the fields first and grades last."""
    there = [*there]
    fields = [field for field in first if field in there]
    last = [GRADES] if GRADES in there else []
    return (*fields, *(one for one in there if one not in (*fields, GRADES)), *last)


def _row(answer: ToolAnswer) -> dict:
    fields = {field: value for field, value in answer.fields.items() if not _is_empty(value)}
    more = {name: value for name, value in answer.more.items() if not _is_empty(value)}
    graded = {GRADES: [_grade(grade) for grade in answer.grades]} if answer.grades else {}
    # An empty answer is an answer.
    return {**more, **fields, "answer": answer.fields.get("answer") or "", **graded}


def _grade_rows(answer: ToolAnswer) -> Iterator[dict]:
    for grade in answer.grades:
        given = _grade(grade)
        yield {**answer.fields, **{to: given[of] for of, to in OF_GRADE.items() if of in given}}


def _grade(grade: ToolGrade) -> dict:
    given = {field: value for field, value in grade._asdict().items() if not _is_empty(value)}
    if grade.repeat == 1:
        del given["repeat"]
    return given


def _is_empty(value: object) -> bool:
    return value is None or value == "" or value == [] or value == {}


def _words(columns: tuple[str, ...], of_grades: set[str]) -> tuple[str, ...]:
    """The map of a row per answer: each field from its column, and the grades from their list."""
    plain = [f"{field}={field if field in columns else ''}" for field in ITEM_FIELDS]
    lists = [f"{to}={GRADES}.{{n}}.{of}" for of, to in OF_GRADE.items() if of in of_grades]
    return (*plain, *lists)


def _grade_words(columns: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f"{field}={field}" for field in GRADE_FIELDS if field in columns)


def marks_found(source: Source, marks: Iterable[str]) -> set[str]:
    """The marks that occur in the beginning of a file, which holds its first record at least."""
    missing = {mark.encode() for mark in marks}
    longest = max(map(len, missing))
    there, before = set(), b""
    for chunk in _beginning(source):
        window = before + chunk
        seen = {mark for mark in missing if mark in window}
        there, missing = there | seen, missing - seen
        before = window[-longest:]
    return {mark.decode() for mark in there}


def head_of(source: Source) -> bytes:
    """The first bytes of a file, in UTF-8 where it is in UTF-16."""
    return next(_text_chunks(source), b"")


def _beginning(source: Source) -> Iterator[bytes]:
    """The parts of a file up to the end of its first record.

    Without a line break in the first part, the record ends with the first line; else, as in
    indented JSON, the end is not looked for.
    """
    chunks = _text_chunks(source)
    head = next(chunks, b"")
    yield head
    if not _is_json_head(head) or _has_record(head):
        return
    is_line = b"\n" not in head.strip()
    for chunk in chunks:
        line, line_break, _ = chunk.partition(b"\n") if is_line else (chunk, b"", b"")
        yield line
        if line_break:
            return


def _text_chunks(source: Source) -> Iterator[bytes]:
    """A file in parts, up to the size that is read whole; UTF-16 (of PowerShell) as UTF-8."""
    with source.open() as file:
        decoder, size = None, 0
        while size < WHOLE_BYTES and (chunk := file.read(_CHUNK_BYTES)):
            if not size and chunk.startswith(_UTF16):
                decoder = codecs.getincrementaldecoder("utf-16")("ignore")
            size += len(chunk)
            yield decoder.decode(chunk).encode() if decoder else chunk


def _is_json_head(head: bytes) -> bool:
    return head.removeprefix(codecs.BOM_UTF8).lstrip()[:1] in (b"{", b"[")


def _has_record(head: bytes) -> bool:
    """True where the first object ends in the first part: a line, or the first of a list."""
    text = head.removeprefix(codecs.BOM_UTF8).decode("latin-1").lstrip("[ \r\n\t")
    try:
        json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return False
    return True
