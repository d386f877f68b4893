"""Detection of a file's format, from its content first and its name second, and its table."""

import zipfile
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from concord.importing.readers import cells as of_cell
from concord.importing.readers import safe_reading
from concord.importing.readers.cells import BadCell
from concord.importing.readers.table import Source, Table, open_source
from concord.messages import Problem, joined, said

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
TITLES = said("{formats} or {last}", formats=joined(", ", [*FORMATS][:-1]), last=[*FORMATS][-1])


def _read(title: str, source: Source, encoding: str | None, worksheet: str | None) -> Table:
    # Readers are imported when first needed: some take long to import.
    if title == "XLSX":
        from concord.importing.readers import xlsx

        return xlsx.read(source, worksheet)
    if title == "Parquet":
        from concord.importing.readers import parquet

        return parquet.read(source)
    from concord.importing.readers import delimited, json_files

    if title == "JSON":
        return json_files.read_json(source, encoding, worksheet)
    return (json_files.read_jsonl if title == "JSONL" else delimited.read)(source, encoding)


def is_encoded(name: str) -> bool:
    """Return True where a file of this name is text, whose encoding a user can correct."""
    return _BY_ENDING.get(name.lower().rpartition(".")[2]) not in _BINARY


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
        max_bytes: refuse larger files (`source.BROWSER_MAX_BYTES` in the browser).

    Raises:
        Problem: wrong, empty, damaged or too large a file, or one without a header or rows; also
            as its records are read.
    """
    source = open_source(given, name, max_bytes, TITLES)
    with safe_reading.reading(lambda: safe_reading.damaged(source.name)):
        table = _read(_format(source), source, encoding, worksheet)
    return checked(table)


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
                fault=str(fault),
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
    """The title of a file's format; of text by its name, but a list is JSON in any file."""
    with source.open() as file:
        head = file.read(4096)
    named, found = _BY_ENDING.get(source.extension), None
    if head.startswith(b"PAR1"):
        found = "Parquet"
    elif head.startswith(b"PK"):
        found = _archive(source)
    if found != named and (found or named in _BINARY):
        if named is None:
            return found
        raise Problem(
            "{file} is not {named}, despite its extension, but {found}. Save it as {named}, or "
            "correct the extension.",
            file=source.name,
            named=named,
            found=found or said("another kind of file"),
            fault_code="extension",
        )
    first = head.removeprefix(b"\xef\xbb\xbf").replace(b"\0", b"").lstrip()[:1]
    if named and not (named == "JSONL" and first == b"["):
        return named
    return found or ("JSON" if first in (b"[", b"{") else "CSV")


def _archive(source: Source) -> str:
    """Recognise a workbook, a ZIP archive with a known part; reject other archives."""
    is_damaged = False
    try:
        with source.open() as file, zipfile.ZipFile(file) as archive:
            if "xl/workbook.xml" in archive.namelist():
                return "XLSX"
    except zipfile.BadZipFile:
        is_damaged = True
    raise Problem(
        "{file} is a ZIP archive or another Office document, not a table, or is damaged. Unpack "
        "it, or save the table as {formats}, and choose that file.",
        file=source.name,
        formats=TITLES,
        fault_code="damaged" if is_damaged else "not_a_table",
    )
