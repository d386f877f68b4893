"""A file as the documents that the readers of tools' exports read.

JSON Lines and CSV are read in parts of some lines, so that they may be of any size; a file that is
one JSON value is read whole, up to a limit.
"""

import copy
import importlib
import json
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from types import ModuleType
from typing import Literal, NamedTuple

from concord.importing.readers import delimited, json_files, parquet, safe_reading
from concord.importing.readers.encoding import Guess
from concord.importing.readers.source import Source, megabytes
from concord.importing.readers.table import Table
from concord.importing.recognition import export
from concord.importing.recognition.export import Document, ToolSource
from concord.messages import Problem
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


def joined(source: Source, documents: Iterator[Document], tool: ToolSource) -> Iterator[Document]:
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
