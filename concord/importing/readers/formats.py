"""Detection of a file's format, from its content first and its name second, and its table."""

from contextlib import closing
from dataclasses import replace
from pathlib import Path

from concord.importing.readers import cells as of_cell
from concord.importing.readers import safe_reading
from concord.importing.readers.cells import BadCell
from concord.importing.readers.table import Source, Table
from concord.messages import Problem, system_fault
from concord.resources import COMMAND

BROWSER_MAX_BYTES = 200 * 1024**2
# The endings of the files of each format, the usual one first.
FORMATS = {
    "CSV": ("csv", "txt"),
    "TSV": ("tsv", "tab"),
    "JSONL": ("jsonl", "ndjson"),
    "JSON": ("json",),
    "Parquet": ("parquet", "pq"),
    "XLSX": ("xlsx", "xlsm"),
}
# Text, in an encoding to be found, is every other format.
_BINARY = ("Parquet", "XLSX")
_BY_ENDING = {ending: title for title, endings in FORMATS.items() for ending in endings}
*_FIRST, _LAST = FORMATS
TITLES = f"{', '.join(_FIRST)} or {_LAST}"
# PDF, programs, archives, pictures, SQLite, old or encrypted Office files, RTF.
_FOREIGN = (
    *(b"%PDF", b"MZ", b"\x7fELF", b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"7z\xbc\xaf", b"Rar!"),
    *(b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"SQLite format 3\0", b"\xd0\xcf\x11\xe0", b"{\\rtf"),
)
_MARKUP = (b"<!doctype", b"<html", b"<?xml", b"<head", b"<body")


def open_source(given: str | Path | bytes, name: str = "", max_bytes: int | None = None) -> Source:
    """A source from a path, or from bytes with the file's name.

    `max_bytes` is the limit of the browser; leave it out where any size may be read.

    Raises:
        Problem: the file is missing, unreadable, empty, too large or evidently not a sheet.
    """
    try:
        if isinstance(given, bytes):
            source = Source(Path(name).name or "upload", None, given, len(given))
        else:
            path = Path(given)
            if path.exists() and not path.is_file():
                raise Problem(
                    "{path} is a folder, or a pipe or a device, which can be read only once. Name "
                    "a file in it, or save its output as a file and name that.",
                    path=path,
                    fault_code="not_a_file",
                )
            # A name need not be text.
            name = path.name.encode(errors="replace").decode()
            source = Source(name, path, None, path.stat().st_size)
        with source.open() as file:
            head = file.read(512)
    except OSError as error:
        raise Problem(
            "{path} cannot be read: {reason}. Check the path.",
            path=given,
            reason=system_fault(error),
            fault_code="no_file",
        ) from None
    if max_bytes is not None and source.size > max_bytes:
        raise Problem(
            "{file} has {size:,} MB; the limit in the browser is {most}. Import it on the command "
            "line, which has no limit: {concord} import {file}",
            concord=COMMAND,
            file=source.name,
            size=source.size >> 20,
            most=max_bytes >> 20,
            fault_code="too_large",
        )
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    # By content and not by extension, which users change to make a file acceptable. Four NULs in
    # a row are no text in UTF-8 or UTF-16 either.
    is_text = b"\0\0\0\0" not in head or head.startswith((b"PK", b"PAR1"))
    if head.startswith(_FOREIGN) or text.startswith(_MARKUP) or not is_text:
        raise Problem(
            "{name} is no table but, for example, a PDF, a web page, an archive, a damaged or an "
            "old Office file. Save the data as {formats} and choose that file.",
            name=source.name,
            formats=TITLES,
            fault_code="not_a_table",
        )
    if not text:
        raise Problem("{name} is empty.", name=source.name, fault_code="empty")
    return source


def open_table(
    given: str | Path | bytes,
    name: str = "",
    *,
    encoding: str | None = None,
    worksheet: str | None = None,
    max_bytes: int | None = None,
) -> Table:
    """The table of a file given by path, or by its bytes and name.

    Args:
        given: a path, or the bytes of an upload.
        name: the file's name, where bytes are given.
        encoding: the user's word on the encoding; guessed otherwise.
        worksheet: which worksheet of a workbook, the one with the most data otherwise; or which
            list of nested JSON.
        max_bytes: refuse larger files (`BROWSER_MAX_BYTES` in the browser).

    Raises:
        Problem: wrong, empty, damaged or too large a file, or one without a header or rows; also
            as its records are read.
    """
    source = open_source(given, name, max_bytes)
    with safe_reading.reading(safe_reading.damaged(source.name)):
        title = _format(source)
        # Readers are imported when first needed: some take long to import.
        if title == "XLSX":
            from concord.importing.readers import xlsx

            return checked(xlsx.read(source, worksheet))
        if title == "Parquet":
            from concord.importing.readers import parquet

            return checked(parquet.read(source))
        from concord.importing.readers import delimited, json_files

        if title == "JSON":
            return checked(json_files.read_json(source, encoding, worksheet))
        read = json_files.read_jsonl if title == "JSONL" else delimited.read
        return checked(read(source, encoding))


def checked(read: Table) -> Table:
    """The table with errors of its records made sentences.

    Raises:
        Problem: it has an invalid name of a column, or no rows.
    """
    for place, name in enumerate(read.columns, 1):
        try:
            of_cell.text(name)
        except BadCell as fault:
            raise Problem(
                "The name of column {place} of {file} is invalid: {fault}",
                place=place,
                file=read.source.name,
                fault=fault.args[0],
                fault_code="bad_name",
            ) from None
    table = replace(read, records=lambda: safe_reading.records(read))
    with closing(table.records()) as records:
        if next(records, None) is None:
            raise Problem(
                "{file} has no rows. Add at least one.",
                file=read.source.name,
                fault_code="no_rows",
            )
    return table


def _format(source: Source) -> str:
    """The title of a file's format by its content; of text by its name, but a list is JSON."""
    with source.open() as file:
        head = file.read(4096)
    if head.startswith(b"PAR1"):
        return "Parquet"
    if head.startswith(b"PK"):
        return "XLSX"
    first = head.removeprefix(b"\xef\xbb\xbf").replace(b"\0", b"").lstrip()[:1]
    named = _BY_ENDING.get(source.extension)
    if named in _BINARY:
        raise Problem(safe_reading.damaged(source.name))
    if named is None or (named == "JSONL" and first == b"["):
        return "JSON" if first in (b"[", b"{") else "CSV"
    return named
