"""Detection of a file's format, from its content first and its name second, and its table."""

import zipfile
from dataclasses import replace
from pathlib import Path

from concord.importing.readers import cells as of_cell
from concord.importing.readers import safe_reading
from concord.importing.readers.source import Source, open_source
from concord.importing.readers.table import BadCell, Table
from concord.messages import said
from concord.problems import Problem

FORMATS = ("csv", "tsv", "jsonl", "json", "parquet", "xlsx")
_NAMES = {"txt": "csv", "tab": "tsv", "ndjson": "jsonl", "pq": "parquet", "xlsm": "xlsx"}


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
        worksheet: which worksheet of a workbook, the first otherwise; or which list of nested JSON.
        max_bytes: refuse larger files (`source.BROWSER_MAX_BYTES` in the browser).

    Raises:
        Problem: wrong, empty, damaged or too large a file, or one without a header or rows; also
            as its records are read.
    """
    source = open_source(given, name, max_bytes)
    with safe_reading.reading(lambda: safe_reading.damaged(source.name)):
        read = _read(source, _format(source), encoding, worksheet)
    _check_names(read)
    table = _safe(read)
    records = table.records()
    if next(records, None) is None:
        raise Problem(
            said("{file} has no rows. Add at least one below its header.", file=source.name)
        )
    records.close()
    return table


def _safe(table: Table) -> Table:
    whole = table.whole and (lambda: _safe(table.with_objects()))
    return replace(table, records=lambda: safe_reading.records(table), whole=whole)


def _check_names(table: Table) -> None:
    for place, name in enumerate(table.columns, 1):
        try:
            of_cell.text(name)
        except BadCell as fault:
            raise Problem(
                said(
                    "The name of column {place} of {file} cannot be taken: {fault}",
                    place=place,
                    file=table.source.name,
                    fault=str(fault),
                )
            ) from None


def _read(source, kind, encoding, worksheet):
    """Import the reader of a format when first needed, since some take long to import."""
    if kind == "xlsx":
        from concord.importing.readers import xlsx

        return xlsx.read(source, worksheet)
    if kind == "parquet":
        from concord.importing.readers import parquet

        return parquet.read(source)
    if kind in ("json", "jsonl"):
        from concord.importing.readers import json_files

        if kind == "json":
            return json_files.read_json(source, encoding, worksheet)
        return json_files.read_jsonl(source, encoding)
    from concord.importing.readers import delimited

    return delimited.read(source, encoding)


def _format(source: Source) -> str:
    with source.open() as file:
        head = file.read(4096)
    named = _NAMES.get(source.extension, source.extension)
    found = _by_content(source, head)
    if found in ("xlsx", "parquet") and named in FORMATS and named != found:
        raise Problem(
            said(
                "{file} is in fact {found_upper}. Rename it to end in .{found}.",
                file=source.name,
                found_upper=found.upper(),
                found=found,
            )
        )
    if found in ("xlsx", "parquet"):
        return found
    if named in ("xlsx", "parquet"):
        raise Problem(
            said(
                "{file} is not {named_upper}, whatever its name says. Save it as {named}, or "
                "rename it after what it is.",
                file=source.name,
                named_upper=named.upper(),
                named=named,
            )
        )
    return _of_text(named, found)


def _of_text(named, found):
    """Return the text format by name, but a list is JSON even in a file named .jsonl."""
    if named == "jsonl" and found == "[":
        return "json"
    if named in FORMATS:
        return named
    return {"[": "json", "{": "json"}.get(found, "csv")


def _by_content(source, head):
    if head.startswith(b"PAR1"):
        return "parquet"
    if head.startswith(b"PK"):
        return _archive(source)
    text = head.removeprefix(b"\xef\xbb\xbf").replace(b"\0", b"").lstrip()
    return text[:1].decode("ascii", "replace")


def _archive(source):
    """Recognise a workbook, a ZIP archive with a known part; reject other archives."""
    try:
        with source.open() as file, zipfile.ZipFile(file) as archive:
            if "xl/workbook.xml" in archive.namelist():
                return "xlsx"
    except zipfile.BadZipFile:
        raise Problem(
            said("{file} is a damaged workbook or archive. Save it again.", file=source.name)
        ) from None
    raise Problem(
        said(
            "{file} is a ZIP archive or another Office document, not a sheet. Unpack it, or "
            "save the sheet as CSV or XLSX, and choose that file.",
            file=source.name,
        )
    )
