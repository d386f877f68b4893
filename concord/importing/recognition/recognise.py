"""Recognition of a tool's export by its shape, and the table of answers that it becomes.

All exports end in one form: a row per answer, with its grades as a list of objects in one column;
or, where the answers are elsewhere, a row per grade. JSON Lines and CSV are read in parts of some
lines, so that they may be of any size; a file that is one JSON value is read whole, up to a limit.
What an export holds is counted before any of it is mapped or stored.
"""

import codecs
import copy
import importlib
import json
import pkgutil
import zipfile
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from functools import cache
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import Literal, NamedTuple

from concord.importing import scores, tools
from concord.importing.columns import column_map
from concord.importing.fields import GRADE_FIELDS, ITEM_FIELDS
from concord.importing.readers import cells as of_cell
from concord.importing.readers import delimited, json_files, parquet, safe_reading
from concord.importing.readers.cells import BadCell
from concord.importing.readers.encoding import Guess
from concord.importing.readers.formats import TITLES, checked, open_table
from concord.importing.readers.table import (
    GRADES,
    JudgeIdentity,
    LeftOut,
    Origin,
    Record,
    Source,
    Table,
    megabytes,
    open_source,
)
from concord.importing.recognition import export
from concord.importing.recognition.export import (
    Document,
    Findings,
    ToolAnswer,
    ToolGrade,
    ToolSource,
    nothing_to_import,
)
from concord.importing.spool import RowSpool
from concord.messages import Problem, Said, counted, joined, on_command_line, said
from concord.resources import install

# Parsed, one JSON value takes four to six times as much memory as its file has bytes.
WHOLE_BYTES = 512 << 20
_LINES = 100
ZSTANDARD = 93
_IN_BOUNDS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


class Opened(NamedTuple):
    """A file of a form, in its encoding, and its documents from the first, each time it is called.

    A tool is recognised by the first document, and reads them one after the other.
    """

    form: str
    documents: Callable[[], Iterator[Document]]
    encoding: Guess | None = None


def open_documents(
    source: Source, head: bytes, encoding: str | None, likely: Sequence[ToolSource]
) -> Opened | None:
    """The documents of a file; None where it is nothing that a tool exports.

    Raises:
        Problem: it is one JSON value and too large, or an archive that cannot be read.
        json.JSONDecodeError: it is not valid JSON.
    """
    if head.startswith(b"PK"):
        document = _archive(source)
        return document and Opened("zip", lambda: iter([document]))
    if head.startswith(b"PAR1"):
        return Opened("parquet", lambda: _of_rows(source, parquet.read(source), "parquet"))
    if head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in (b"{", b"["):
        guess = json_files.encoding_of(source, encoding)
        if _is_lines(source, guess):
            return Opened("jsonl", lambda: _of_lines(source, guess), guess)
        _check_whole(source, likely)
        document = Document(source.name, _whole(source, guess), "json")
        return Opened("json", lambda: iter([document]), guess)
    guess = delimited.guessed(source, encoding)
    return Opened("csv", lambda: _of_rows(source, delimited.read(source, encoding), "csv"), guess)


def joined_documents(
    source: Source, documents: Iterator[Document], tool: ToolSource
) -> Iterator[Document]:
    """The parts of a file in lines as one document.

    Raises:
        Problem: it is too large.
    """
    _check_whole(source, [tool])
    parts = [*documents]
    rows = [row for part in parts for row in export.objects(part.data)]
    yield parts[0]._replace(data=rows) if len(parts) > 1 else parts[0]


def _is_lines(source: Source, guess: Guess) -> bool:
    """True where the first line is an object of its own, and more lines follow it."""
    with delimited.open_text(source, guess, newline="\n") as file:
        lines = delimited.lines_of(file, source.name)
        try:
            first, second = delimited.decoding(source, guess, lambda: _first_two(lines))
            return bool(second) and isinstance(json.loads(first), dict)
        except (RecursionError, Problem):
            return False
        except ValueError as error:  # else a number that is too long, which its reader names
            return not isinstance(error, json.JSONDecodeError)


def _first_two(lines: Iterator[str]) -> tuple[str, str]:
    filled = (line.removeprefix("\ufeff") for line in lines if line.strip("\ufeff\r\n\t "))
    return next(filled, ""), next(filled, "")


def _of_lines(source: Source, guess: Guess) -> Iterator[Document]:
    with delimited.open_text(source, guess, newline="\n") as file:
        lines = delimited.lines_of(file, source.name)
        numbered = enumerate(lines, 1)
        while some := delimited.decoding(source, guess, lambda: list(islice(numbered, _LINES))):
            filled = ((n, line.removeprefix("\ufeff").strip()) for n, line in some)
            data = [json_files.document(line, f"{source.name}:{n}") for n, line in filled if line]
            yield Document(source.name, data, "json")


def _of_rows(source: Source, table: Table, form: Literal["csv", "parquet"]) -> Iterator[Document]:
    table = table.with_objects()
    rows = (
        dict(zip(table.columns, record.cells, strict=False))
        for record in safe_reading.records(table)
        if record.fault is None
    )
    for first in rows:
        yield Document(source.name, [first, *islice(rows, _LINES)], form)


def _whole(source: Source, guess: Guess) -> object:
    with delimited.open_text(source, guess) as file:
        text = delimited.decoding(source, guess, file.read)
    return json_files.document(text.removeprefix("\ufeff"), source.name)


def _check_whole(source: Source, likely: Sequence[ToolSource]) -> None:
    """Refuse a file that would take too much memory."""
    if source.size <= WHOLE_BYTES:
        return
    values = {
        "file": source.name,
        "tool": likely[0].title,
        "size": megabytes(source.size),
        "most": megabytes(WHOLE_BYTES),
    }
    if any("jsonl" in one.forms and not one.whole for one in likely):
        raise Problem(
            "{file} ({tool}) has {size} in one JSON value, which is read whole; the limit is "
            "{most}. Save it as JSON Lines, with one object per line, which has no limit.",
            **values,
            fault_code="too_large",
        )
    raise Problem(
        "{file} ({tool}) has {size} and is read whole; the limit is {most}. "
        "Export it in parts, and import them into one sheet with --sheet.",
        **values,
        fault_code="too_large",
    )


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
    size = archive.getinfo(name).file_size
    if size > WHOLE_BYTES:
        raise Problem(
            "{member} in {file} has {size} in one JSON value, which is read whole; the limit is "
            "{most}. Export fewer samples, or shorter ones.",
            member=name,
            file=source.name,
            size=megabytes(size),
            most=megabytes(WHOLE_BYTES),
            fault_code="too_large",
        )
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
            fault_code="compression",
        ) from None


def unpacked(archive: zipfile.ZipFile, name: str) -> bytes:
    """The bytes of a member of a ZIP archive, unpacked to no more than it declares.

    `zipfile` unpacks most kinds of members whole before it looks at their size, so that a small
    hostile archive could take all memory. Only Deflate and Zstandard are read, both in bounds.

    Raises:
        NotImplementedError: This Python has no Zstandard, or the compression is another one.
        zipfile.BadZipFile: The member is damaged, or larger or smaller than it declares.
    """
    member = archive.getinfo(name)
    if member.compress_type in _IN_BOUNDS:
        with archive.open(member) as file:
            return file.read(member.file_size)
    zstandard = _zstandard() if member.compress_type == ZSTANDARD else None
    if zstandard is None:
        raise NotImplementedError(name)
    try:
        reader = zstandard.ZstdDecompressor()
        data = reader.decompress(_packed(archive, member), member.file_size + 1)
    except zstandard.ZstdError as error:
        raise zipfile.BadZipFile(name) from error
    if len(data) != member.file_size or zlib.crc32(data) != member.CRC:
        raise zipfile.BadZipFile(name)
    return data


def _packed(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    """The bytes of a member as they are in the file."""
    stored = copy.copy(member)
    stored.compress_type, stored.file_size = zipfile.ZIP_STORED, member.compress_size
    # That of the member is of its unpacked bytes; zipfile checks none where there is none.
    stored.CRC = None
    with archive.open(stored) as file:
        return file.read()


def _zstandard() -> ModuleType | None:
    """Zstandard of Python 3.14, or of the extra `zstd` before; None without either."""
    for name in ("compression.zstd", "backports.zstd"):
        try:
            return importlib.import_module(name)
        except ImportError:
            continue
    return None


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
    for document in joined_documents(source, documents, tool) if tool.whole else documents:
        for read in tool.read(document, findings):
            answer = _with_single_scores(read, findings)
            contents.add(answer)
            for row in _grade_rows(answer) if is_graded else [_row(answer)]:
                rows.add({name: of_cell.of(value) for name, value in row.items()})
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


# So many different values of a criterion are listed.
_VALUES = 12


@dataclass(frozen=True)
class Found:
    """The contents of an export.

    Attributes:
        tool: The tool and the kind of file.
        answers: The number of answers; 0 for an export of grades alone.
        answer_models: Answers by answering model; '' for no name.
        annotators: Grades by annotator.
        grades_by_judge: Grades by judge.
        grades_by_metric: Grades by metric.
        not_blind: Annotators' grades that were given where other scores are shown.
        judges: The identities of judges and metrics.
        values: Number of grades by their value, by criterion; the most frequent values.
        left_out: What is left out, and why.
        scores: The score that each word or number is read as, once the mapping is known.
    """

    tool: str
    answers: int
    answer_models: dict[str, int]
    annotators: dict[str, int]
    grades_by_judge: dict[str, int]
    grades_by_metric: dict[str, int]
    not_blind: int
    judges: tuple[JudgeIdentity, ...]
    values: dict[str, dict[str, int]]
    left_out: tuple[LeftOut, ...]
    scores: Mapping[str, float | None] = field(default_factory=dict)

    def mapped(self, scores: Mapping[str, float | None]) -> "Found":
        """The same with the scores that words are read as."""
        return replace(self, scores=dict(scores))

    def mapping(self) -> Said | None:
        """Say which scores words are read as; None without such words."""
        if not self.scores:
            return None
        pairs = [
            said("{word} = {score}", word=word, score="-" if score is None else f"{score:g}")
            for word, score in self.scores.items()
        ]
        return said(
            "Scores of words: {pairs}. Other scores: --score WORD=SCORE.",
            pairs=joined(", ", pairs),
        )

    def to_json(self) -> dict:
        """Return it for `--json`."""
        return {one.name: getattr(self, one.name) for one in fields(self)} | {
            "judges": [one._asdict() for one in self.judges],
            "left_out": [one._asdict() for one in self.left_out],
            "scores": dict(self.scores),
        }

    def sentences(self) -> Iterator[Said]:
        """Say what there is, one sentence for each kind of it."""
        parts = (
            (self.answer_models, said("{tool}: {n} by {names}.", tool=self.tool,
                                      n=counted(self.answers, "answer"),
                                      names=_named(self.answer_models)), self.answers),
            (self.annotators, said("Grades by annotators: {names}.",
                                   names=_named(self.annotators)), 1),
            (self.grades_by_judge, said("Grades by judges: {names}.",
                                        names=_named(self.grades_by_judge)), 1),
            (self.grades_by_metric, said("Values of metrics: {names}.",
                                         names=_named(self.grades_by_metric)), 1),
        )  # fmt: skip
        if not self.answers:
            yield said("{tool}: grades of answers that are imported elsewhere.", tool=self.tool)
        yield from (sentence for names, sentence, shown in parts if names and shown)
        if self.not_blind:
            yield said(
                "Not blind: {grades} by annotators, because the tool shows other scores next to "
                "the answer. They are stored, and excluded where a judge is compared with "
                "annotators. If the annotators saw no scores, say so when you map the "
                "columns{on_command_line}.",
                on_command_line=on_command_line("--map blind="),
                grades=counted(self.not_blind, "grade"),
            )
        for criterion, values in self.values.items():
            yield said("{criterion} is graded {values}.", criterion=criterion,
                       values=_named(values))  # fmt: skip
        for one in self.left_out:
            yield said("Left out: {what} ({n:,}), because {reason}.", n=one.count, what=one.what,
                       reason=one.reason)  # fmt: skip


def open_found(
    given: str | Path,
    encoding: str | None = None,
    worksheet: str | None = None,
    mapped: Sequence[str] = (),
) -> tuple[Table, Found | None]:
    """The table of a file, and its contents where it is a recognised export.

    A file is read as any other where only then it has the columns that are `mapped`, as a map from
    before its tool was recognised names them.
    """
    table = open_file(given, encoding=encoding, worksheet=worksheet)
    if table.origin and mapped and not _has_columns(table, table.origin.with_words(mapped)):
        with suppress(Problem):
            plain = open_table(given, encoding=encoding)
            table = plain if _has_columns(plain, mapped) else table
    return table, found_in(table)


def _has_columns(table: Table, mapped: Sequence[str]) -> bool:
    try:
        column_map(table.columns, mapped)
    except Problem:
        return False
    return True


def refuse_grades(table: Table) -> None:
    """Raise a Problem for an export that holds grades of answers that are elsewhere."""
    if table.origin and table.origin.of == "grades":
        raise Problem(
            "{file} holds grades and no answers. Import the answers with these ids first, then "
            "this file under Import grades{on_command_line}.",
            on_command_line=on_command_line("`grades`"),
            file=table.source.name,
            fault_code="grades_alone",
        )


def found_in(table: Table) -> Found | None:
    """Count the contents of a recognised export; None for any other table."""
    if table.origin is None:
        return None
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    values: dict[str, Counter[str]] = defaultdict(Counter)
    not_blind, seen = 0, set()
    for record in table.records():
        row = dict(zip(table.columns, record.cells, strict=True))
        # An answer of several rows has its id in each.
        item = _text(row.get("item_id"))
        is_new = not item or item not in seen
        seen.add(item)
        if table.origin.of == "answers" and is_new:
            counts["models"][of_cell.shown(row.get("answer_model"))] += 1
        for grade in _grades(table, record, row):
            counts[grade["kind"]][grade["grader"]] += 1
            not_blind += grade["kind"] == "annotator" and grade["blind"] == "false"
            values[grade["criterion"]][_value(grade["score"])] += 1
    return Found(
        tool=table.origin.tool,
        answers=counts["models"].total(),
        answer_models=dict(counts["models"].most_common()),
        annotators=dict(counts["annotator"].most_common()),
        grades_by_judge=dict(counts["judge"].most_common()),
        grades_by_metric=dict(counts["metric"].most_common()),
        not_blind=not_blind,
        judges=table.origin.judges,
        values={name: dict(found.most_common(_VALUES)) for name, found in values.items()},
        left_out=table.origin.left_out,
    )


def _grades(table: Table, record: Record, row: Mapping) -> Iterator[dict[str, str]]:
    """Yield the grades of a row as text, which is one in a table of grades."""
    names = ("kind", "grader", "criterion", "score", "blind")
    if table.origin is not None and table.origin.of == "grades":
        row = {**row, "kind": row.get("grader_kind")}
        yield {name: _text(row.get(name)) for name in names}
        return
    for grade in row.get(GRADES) or ():
        yield {name: _text(grade.get(name)) for name in names}


def _value(score: str) -> str:
    """A score as it is counted: 1.0 and 1 are the same number."""
    return score if scores.number(score) is None else score.removesuffix(".0")


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)


def _named(counts: Mapping[str, int]) -> Said:
    shown = [
        said("{name} ({n:,})", name=name or said("no name"), n=n) for name, n in counts.items()
    ]
    more = len(shown) - _VALUES
    return joined(", ", [*shown[:_VALUES], *([said("{n:,} more", n=more)] if more > 0 else [])])
