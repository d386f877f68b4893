"""Recognition of a tool's export by its shape, and the table of answers that it becomes.

All exports end in one form: a row per answer, with its grades as a list of objects in one column;
or, where the answers are elsewhere, a row per grade. JSON Lines and CSV are read in parts of some
lines, so that they may be of any size; a file that is one JSON value is read whole, up to a limit.
What an export holds is counted as it is read, before any of it is mapped or stored.
"""

import importlib
import json
import pkgutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import chain, islice
from pathlib import Path
from typing import Any

from concord.importing import tools
from concord.importing.columns import column_map, opened
from concord.importing.fields import GRADE_FIELDS, ITEM_FIELDS
from concord.importing.item_rows import ItemRows
from concord.importing.readers import cells as of_cell
from concord.importing.readers import delimited, json_files, safe_reading
from concord.importing.readers.cells import BadCell
from concord.importing.readers.formats import checked, open_source, open_table
from concord.importing.readers.table import Record, Source, Table
from concord.importing.spec import replaced_words
from concord.importing.tool_export import (
    Document,
    Findings,
    JudgeIdentity,
    LeftOut,
    ToolSource,
    nothing_to_import,
    objects,
)
from concord.messages import Problem, on_command_line
from concord.model import Sheet
from concord.resources import install
from concord.store import items
from concord.store.additions import SameAnswers
from concord.store.database import Store
from concord.store.spool import Spool

# The column of a recognised export that holds the list of an answer's grades.
GRADES = "grades"
# Parsed, one JSON value takes four to six times as much memory as its file has bytes.
WHOLE_BYTES = 512 << 20
# Where marks are looked for: the header of a CSV file, or the first record of JSON.
_HEAD_BYTES, _RECORD_BYTES = 1 << 16, 8 << 20
# Beginnings of files in which no mark can be seen.
_PACKED = {b"PK": "zip", b"PAR1": "parquet"}
_LINES = 100
# A small hostile archive cannot take all memory in pieces of so many bytes.
_PIECE = 1 << 12


@dataclass(frozen=True)
class Found:
    """The contents of an export, and how its table is read.

    Attributes:
        tool: The tool and the kind of file.
        of: `answers`, or `grades` of answers that are not in the export.
        words: The column map of the table.
        not_blind: Annotators' grades that were given where other scores are shown.
        judges: The identities of judges and metrics.
        left_out: What is left out, and why.
    """

    tool: str
    of: str
    words: tuple[str, ...]
    not_blind: int
    judges: tuple[JudgeIdentity, ...]
    left_out: tuple[LeftOut, ...]

    def kept(self, columns: Sequence[str]) -> tuple[str, ...]:
        """Columns that are kept with each answer: the grades are read, and not kept as well."""
        return tuple(column for column in columns if column != GRADES)

    def with_words(self, more: Sequence[str]) -> tuple[str, ...]:
        """Return the words of the map, where more words replace those of the same fields.

        `score=` leaves out the grades.
        """
        alone = any(word.strip() == "score=" for word in more)
        words = [word for word in self.words if not (alone and f"={GRADES}." in word)]
        return replaced_words(words, more)

    def to_json(self) -> dict:
        """Return it for `--json`."""
        told = {"tool": self.tool, "not_blind": self.not_blind}
        lists = {"judges": self.judges, "left_out": self.left_out}
        return told | {name: [one._asdict() for one in some] for name, some in lists.items()}

    def sentences(self) -> Iterator[str]:
        """Say what it is, and what of it is not blind or left out."""
        yield f"Recognised: {self.tool}."
        if self.not_blind:
            blind = on_command_line("--map blind=")
            yield (
                f"Not blind: {self.not_blind:,} grades by annotators, because the tool shows other "
                "scores next to the answer. They are excluded where a judge is compared with "
                f"annotators. If these saw no scores, map the column{blind}."
            )
        for one in self.left_out:
            yield f"Left out: {one.what} ({one.count:,}), because {one.reason}."


def open_file(
    given: str | Path | bytes, name: str = "", *, worksheet: str | None = None, **how: Any
) -> Table:
    """The table of a file: of a recognised export, else as `formats.open_table` reads it.

    A `worksheet` that is named is read as it is: no export is looked for.

    Raises:
        Problem: as `open_table`; or the export has no answers, or none that can be imported.
    """
    found = None if worksheet else recognised(given, name, **how)
    return open_table(given, name, worksheet=worksheet, **how) if found is None else found


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


def recognised(
    given: str | Path | bytes,
    name: str = "",
    *,
    encoding: str | None = None,
    max_bytes: int | None = None,
) -> Table | None:
    """The table of a file that is an export of a known tool; None for any other file."""
    source = open_source(given, name, max_bytes)
    head = _head(source)
    packed = next((form for magic, form in _PACKED.items() if head.startswith(magic)), None)
    likely = [
        one
        for one in sources()
        if (packed in one.forms if packed else all(mark.encode() in head for mark in one.marks))
    ]
    if not likely:
        return None
    head = head[:64]  # the rest is not held
    with safe_reading.reading(safe_reading.damaged(source.name)):
        try:
            form, codec, documents = _documents(source, head, packed, encoding)
            first = next(documents, None)
            fits = (
                one for one in likely if first and first.form in one.forms and one.recognises(first)
            )
            if (tool := next(fits, None)) is None:
                return None
            if tool.refused:
                code, sentence = tool.refused
                raise Problem(sentence, file=source.name, fault_code=code)
            documents = chain([first], documents)
            if tool.whole and form != "json":
                _check_whole(source.name, source.size)
                rows = [row for part in documents for row in objects(part.data)]
                documents = [first._replace(data=rows)]
            return checked(_table(source, form, codec, documents, tool))
        except json.JSONDecodeError:
            return None  # the reader of tables says where


@cache
def sources() -> tuple[ToolSource, ...]:
    """The declared sources, those of a tool in their order, by the names of the modules."""
    names = sorted(module.name for module in pkgutil.iter_modules(tools.__path__))
    modules = (importlib.import_module(f"{tools.__name__}.{name}") for name in names)
    return tuple(source for module in modules for source in module.SOURCES)


def _head(source: Source) -> bytes:
    """The beginning of a file, of JSON with its first record; UTF-16 (of PowerShell) as UTF-8."""
    with source.open() as file:
        head = file.read(_HEAD_BYTES)
        wide = head.startswith((b"\xff\xfe", b"\xfe\xff"))
        if wide or _is_json(head):
            head += file.read(_RECORD_BYTES)
    return head.decode("utf-16", "ignore").encode() if wide else head


def _is_json(head: bytes) -> bool:
    return head.removeprefix(b"\xef\xbb\xbf").lstrip().startswith((b"{", b"["))


def _documents(
    source: Source, head: bytes, packed: str | None, encoding: str | None
) -> tuple[str, str | None, Iterator[Document]]:
    """The form of a file, its encoding and its documents, of which a tool is known by the first.

    Raises:
        Problem: it is one JSON value and too large, or an archive that cannot be read.
        json.JSONDecodeError: it is not valid JSON.
    """
    if packed == "zip":
        return "zip", None, _archive(source)
    if packed or not _is_json(head):
        if packed:
            from concord.importing.readers import parquet  # it takes long to import

            table = parquet.read(source, whole=True)
        else:
            table = delimited.read(source, encoding)
        form = packed or "csv"
        return form, table.encoding, _in_parts(source, form, _rows(table))
    codec = json_files.encoding_of(source, encoding)
    if json_files.is_lines(source, codec):
        return "jsonl", codec, _in_parts(source, "json", _lines(source, codec))
    _check_whole(source.name, source.size)
    data = json_files.document(json_files.text_of(source, codec), source.name)
    return "json", codec, iter([Document(source.name, data, "json")])


def _in_parts(source: Source, form: str, rows: Iterator[Any]) -> Iterator[Document]:
    while some := [*islice(rows, _LINES)]:
        yield Document(source.name, some, form)


def _lines(source: Source, codec: str) -> Iterator[Any]:
    for number, line in enumerate(delimited.lines_of(source, codec), 1):
        if text := line.removeprefix("\ufeff").strip():
            yield json_files.document(text, f"{source.name}:{number}")


def _rows(table: Table) -> Iterator[dict[str, Any]]:
    for record in safe_reading.records(table):
        if record.fault:
            raise Problem(
                "Row {row} of {file} cannot be read: {fault}",
                row=record.row,
                file=table.source.name,
                fault=record.fault,
            )
        yield dict(zip(table.columns, record.cells, strict=True))


def _check_whole(name: str, size: int) -> None:
    """Refuse one JSON value that would take too much memory."""
    if size > WHOLE_BYTES:
        has = f"{size >> 20:,} MB in one JSON value"
        raise safe_reading.too_large(name, has, f"{WHOLE_BYTES >> 20:,} MB")


def _archive(source: Source) -> Iterator[Document]:
    """An archive of JSON files with a `header.json`; none for any other."""
    try:
        from backports.zstd import zipfile  # with Zstandard before Python 3.14: the extra `zstd`
    except ImportError:
        import zipfile

    def members(start: str) -> Iterator[Any]:
        with source.open() as file, zipfile.ZipFile(file) as archive:
            safe_reading.check_size(source, sum(one.file_size for one in archive.infolist()))
            for name in archive.namelist():
                if name.startswith(start) and name.endswith(".json"):
                    place = f"{source.name}/{name}"
                    _check_whole(place, archive.getinfo(name).file_size)
                    try:
                        with archive.open(name) as member:
                            data = b"".join(iter(partial(member.read, _PIECE), b""))
                    except NotImplementedError:
                        raise Problem(
                            "{file} is compressed in a way that this Python cannot read. For "
                            "Zstandard install the extra ({install}). Or save the log as JSON and "
                            "import that file: inspect log dump {file} > log.json",
                            file=source.name,
                            install=install("zstd"),
                            fault_code="compression",
                        ) from None
                    yield json_files.document(data.decode("utf-8"), place)

    with suppress(zipfile.BadZipFile):  # the reader of tables says so
        for header in [*members("header.json")]:  # which closes the archive
            yield Document(source.name, header, "zip", members)


def _table(
    source: Source,
    form: str,
    codec: str | None,
    documents: Iterable[Document],
    tool: ToolSource,
) -> Table:
    """Return the table of an export, whose rows are kept in a temporary file."""
    findings, rows, is_graded = Findings(), Spool(), tool.of == "grades"
    names: dict[str, None] = {}
    not_blind, of_grades = 0, {}
    for answer, grades in findings.answers(chain.from_iterable(map(tool.read, documents))):
        fields, cells = _filled(answer.fields), [*map(fields_of_grade, grades)]
        not_blind += sum(grade.get("blind") is False for grade in grades)
        of_grades |= dict.fromkeys(chain.from_iterable(cells))
        made = [fields | cell for cell in cells]
        if not is_graded:  # an empty answer is an answer
            made = [{**_filled(answer.more), "answer": "", **fields, **_filled({GRADES: grades})}]
        for row in made:
            names |= dict.fromkeys(row)
            rows.add({name: of_cell.of(value) for name, value in row.items()}, len(str(row)))
    if not rows:
        raise nothing_to_import(source.name, tool.title, findings.left_out())
    known = GRADE_FIELDS if is_graded else ITEM_FIELDS
    first = [field for field in known if field in names]
    others = [name for name in names if name not in (*first, GRADES)]
    columns = (*first, *others, *(name for name in names if name == GRADES))
    safe_reading.check_cells(source.name, len(rows), len(columns))
    words = [f"{field}={field if field in first else ''}" for field in known]
    if is_graded:
        words = [f"{field}={field}" for field in first]
    words += [f"{field}={GRADES}.{{n}}.{field}" for field in of_grades if not is_graded]
    judges, left_out = tuple(findings.judges.values()), findings.left_out()
    found = Found(tool.title, tool.of, tuple(words), not_blind, judges, left_out)
    return Table(source, form, columns, lambda: records(rows, columns), codec, origin=found)


def fields_of_grade(grade: Mapping[str, Any]) -> dict[str, Any]:
    """What a grade has of the fields of a record, as cells."""
    return {field: of_cell.of(one) for field, one in grade.items() if field in GRADE_FIELDS}


def records(rows: Iterable[Mapping], columns: Sequence[str]) -> Iterator[Record]:
    """Rows by column as the records of a table."""
    return (Record(n, tuple(map(row.get, columns))) for n, row in enumerate(rows, 1))


def _filled(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values that are not empty; 0 and false are values."""
    return {name: one for name, one in values.items() if one not in (None, "", [], {})}


# Formats of which a user may also map the columns.
_PLAIN = ("csv", "parquet")


def open_grades_of(
    store: Store,
    sheet: Callable[[], Sheet],
    given: bytes | str | Path,
    name: str = "",
    *,
    worksheet: str | None = None,
    **how: Any,
) -> Table:
    """The table of a file of grades; of an export with answers, the grades of a sheet's answers.

    Such a table has a row per grade. An answer is the stored one with its question and text; grades
    of others are counted.

    Raises:
        Problem: as `recognise.open_file`; or the export left out every grade.
    """
    table = None if worksheet else recognised(given, name, **how)
    if table is None:
        return open_table(given, name, worksheet=worksheet, **how)
    origin = table.origin
    if origin.of == "grades":
        return table
    made = _grades_of(store, sheet(), table)
    if made.columns:
        return made
    if made.origin.left_out and table.format not in _PLAIN:
        raise nothing_to_import(table.source.name, origin.tool, made.origin.left_out)
    return open_table(given, name, **how)


def _grades_of(store: Store, sheet: Sheet, table: Table) -> Table:
    """The grades of an export as a table; those of answers that are not stored are left out."""
    same, names = SameAnswers(store, sheet.id), items.answer_names(store, sheet.id)
    rows, filled, lost = Spool(), {}, 0
    words = [word for word in table.origin.words if f"={GRADES}." not in word]
    columns = column_map(table.columns, words)
    with_paths = opened(table, columns)
    reader = ItemRows(with_paths.columns, columns)
    for record in with_paths.records():
        grades = dict(zip(table.columns, record.cells, strict=False)).get(GRADES) or ()
        try:
            answers = reader.read(record)[0]
        except BadCell:
            answers = ()
        stored = filter(None, (same.only(item, sheet.answer_models) for item in answers))
        named = [names[one] for one in stored]
        lost += len(grades) * (max(len(answers), 1) - len(named))
        for name in named:
            for grade in grades:
                cells = fields_of_grade(grade) | {"item_id": name}
                filled |= dict.fromkeys(cells)
                rows.add(cells, len(str(cells)))
    columns, left_out = tuple(filled), table.origin.left_out
    if lost:
        left_out = (*left_out, LeftOut("grades", "their answers are not in the sheet", lost))
    words = tuple(f"{column}={column}" for column in columns)
    origin = replace(table.origin, of="grades", words=words, left_out=left_out)
    return replace(table, columns=columns, records=lambda: records(rows, columns), origin=origin)
