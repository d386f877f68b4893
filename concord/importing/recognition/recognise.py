"""Recognition of a tool's export by its shape, and the table of answers that it becomes.

All exports end in one form: a row per answer, with its grades as a list of objects in one column;
or, where the answers are elsewhere, a row per grade.
"""

import importlib
import json
import pkgutil
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import islice
from pathlib import Path

from concord.importing import tools
from concord.importing.column_paths import as_cell
from concord.importing.fields import GRADE_FIELDS, ITEM_FIELDS
from concord.importing.readers import delimited, json_files, safe_reading
from concord.importing.readers import encoding as encodings
from concord.importing.readers.archive import unpacked
from concord.importing.readers.formats import TITLES, checked, open_table
from concord.importing.readers.origin import GRADES, Origin
from concord.importing.readers.source import Source, open_source
from concord.importing.readers.table import Record, Table
from concord.importing.recognition.export import (
    Document,
    Findings,
    ToolAnswer,
    ToolGrade,
    ToolSource,
)
from concord.messages import Problem
from concord.resources import install

# So far into a file the marks of a tool are looked for.
_HEAD_BYTES = 1 << 20
# Column of a grade -> field of the record.
_OF_GRADE = {
    "grader": "grader",
    "kind": "grader_kind",
    "criterion": "criterion",
    "score": "score",
    "reason": "reason",
    "repeat": "repeat",
    "blind": "blind",
}


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
    with source.open() as file:
        head = file.read(_HEAD_BYTES)
    likely = [one for one in sources() if all(mark.encode() in head for mark in one.marks)]
    if not likely and not head.startswith(b"PK"):
        return None
    with safe_reading.reading(lambda: safe_reading.damaged(source.name)):
        read = _document(source, head, encoding, likely)
        if read is None:
            return None
        document, guess = read
        forms = {document.form, "jsonl"} if document.form == "json" else {document.form}
        found = (one for one in likely or sources() if forms & {*one.forms})
        tool = next((one for one in found if one.recognises(document)), None)
        return checked(_table(source, document, tool, guess)) if tool else None


@cache
def sources() -> tuple[ToolSource, ...]:
    """The declared sources, by the names of their modules."""
    names = sorted(module.name for module in pkgutil.iter_modules(tools.__path__))
    modules = (importlib.import_module(f"{tools.__name__}.{name}") for name in names)
    return tuple(module.SOURCE for module in modules)


def _document(
    source: Source, head: bytes, encoding: str | None, likely: Iterable[ToolSource]
) -> tuple[Document, encodings.Guess | None] | None:
    """The parsed file and its encoding; None where it is nothing that a tool exports."""
    if head.startswith(b"PK"):
        document = _archive(source)
        return document and (document, None)
    guess = delimited.guessed(source, encoding)
    if head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in (b"{", b"["):
        with delimited.open_text(source, guess) as file:
            text = delimited.decoding(source, guess, file.read).removeprefix("\ufeff")
        try:
            data = json_files.document(text, source.name)
        except json.JSONDecodeError:
            return None  # the reader of tables says where
        return Document(source.name, data, "json"), guess
    table = delimited.read(source, encoding)
    rows = (
        dict(zip(table.columns, record.cells, strict=False))
        for record in safe_reading.records(table)
        if record.fault is None
    )
    # A table may be of any size, and most are of no tool: its columns say whether to read on.
    first = list(islice(rows, 1))
    if not any(one.recognises(Document(source.name, first, "csv")) for one in likely):
        return None
    return Document(source.name, [*first, *rows], "csv"), guess


def _archive(source: Source) -> Document | None:
    """An archive of JSON files with a `header.json`; None for any other."""
    try:
        with source.open() as file, zipfile.ZipFile(file) as archive:
            if "header.json" not in archive.namelist():
                return None
            safe_reading.check_size(source, sum(one.file_size for one in archive.infolist()))
            header = _member(source, archive, "header.json")
    except zipfile.BadZipFile:
        return None  # the reader of tables says so

    def members(start: str) -> Iterator[object]:
        with source.open() as file, zipfile.ZipFile(file) as archive:
            for name in archive.namelist():
                if name.startswith(start) and name.endswith(".json"):
                    yield _member(source, archive, name)

    return Document(source.name, header, "zip", members)


def _member(source: Source, archive: zipfile.ZipFile, name: str) -> object:
    try:
        text = unpacked(archive, name).decode("utf-8")
        return json_files.document(text, f"{source.name}/{name}")
    except NotImplementedError:
        raise Problem(
            "{file} is compressed in a way that this Python cannot read. For Zstandard install "
            "the extra ({install}). Or save the log as JSON and import that file: inspect log "
            "dump {file} > log.json",
            file=source.name,
            install=install("zstd"),
        ) from None


def _table(
    source: Source, document: Document, tool: ToolSource, guess: encodings.Guess | None
) -> Table:
    findings = Findings()
    answers = list(tool.read(document, findings))
    if not answers:
        reasons = "; ".join(f"{one.what}: {one.reason}" for one in findings.left_out())
        raise Problem(
            "{file} ({tool}) has nothing to import. {reasons}",
            file=source.name,
            tool=tool.title,
            reasons=reasons,
        )
    is_graded = tool.of == "grades"
    rows = list(_grade_rows(answers)) if is_graded else [_row(one) for one in answers]
    columns = _columns(rows, (*GRADE_FIELDS,) if is_graded else (*ITEM_FIELDS,))
    safe_reading.check_cells(source.name, len(rows), len(columns))
    origin = Origin(
        tool.title,
        tool.of,
        _grade_words(columns) if is_graded else _words(columns, answers),
        tuple(findings.judges.values()),
        findings.left_out(),
        _criteria(answers, "annotator"),
        _criteria(answers, "judge"),
    )
    # Made once: an import reads the records several times.
    records = [
        Record(n, None, tuple(as_cell(json_files.cell(row.get(column))) for column in columns))
        for n, row in enumerate(rows, 1)
    ]
    return Table(
        source,
        document.form,
        columns,
        lambda: (record for record in records),
        guess,
        origin=origin,
    )


def _criteria(answers: Iterable[ToolAnswer], kind: str) -> tuple[str, ...]:
    graded = (grade for answer in answers for grade in answer.grades if grade.kind == kind)
    return tuple(dict.fromkeys(grade.criterion for grade in graded))


def _columns(rows: Iterable[Mapping], first: tuple[str, ...]) -> tuple[str, ...]:
    """Every column of the rows, the fields first and grades last."""
    there = dict.fromkeys(column for row in rows for column in row)
    fields = [field for field in first if field in there]
    last = [GRADES] if GRADES in there else []
    return (*fields, *(one for one in there if one not in (*fields, GRADES)), *last)


def _row(answer: ToolAnswer) -> dict:
    fields = {field: value for field, value in answer.fields.items() if not _is_empty(value)}
    more = {name: value for name, value in answer.more.items() if not _is_empty(value)}
    graded = {GRADES: [_grade(grade) for grade in answer.grades]} if answer.grades else {}
    # An empty answer is an answer.
    return {**more, **fields, "answer": answer.fields.get("answer") or "", **graded}


def _grade_rows(answers: Iterable[ToolAnswer]) -> Iterator[dict]:
    for answer in answers:
        for grade in answer.grades:
            given = _grade(grade)
            yield {
                **answer.fields,
                **{to: given[of] for of, to in _OF_GRADE.items() if of in given},
            }


def _grade(grade: ToolGrade) -> dict:
    given = {field: value for field, value in grade._asdict().items() if not _is_empty(value)}
    if grade.repeat == 1:
        del given["repeat"]
    return given


def _is_empty(value: object) -> bool:
    return value is None or value == "" or value == [] or value == {}


def _words(columns: tuple[str, ...], answers: Iterable[ToolAnswer]) -> tuple[str, ...]:
    """The map of a row per answer: each field from its column, and the grades from their list."""
    plain = [f"{field}={field if field in columns else ''}" for field in ITEM_FIELDS]
    given = {key for one in answers for grade in one.grades for key in _grade(grade)}
    lists = [f"{to}={GRADES}.{{n}}.{of}" for of, to in _OF_GRADE.items() if of in given]
    return (*plain, *lists)


def _grade_words(columns: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f"{field}={field}" for field in GRADE_FIELDS if field in columns)
