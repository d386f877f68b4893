"""Detection of a file's format, from its content first and its name second, and its table."""

import zipfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from concord.importing.readers import cells as of_cell
from concord.importing.readers import safe_reading
from concord.importing.readers.cells import BadCell
from concord.importing.readers.table import Source, Table, open_source
from concord.messages import Problem, joined, said


@dataclass(frozen=True)
class Format:
    """A file format that can be imported: what a reader and a user need to know of it.

    Attributes:
        title: its name for a user.
        endings: the endings of its files, the usual one first; without a dot.
        read: the table of a source, an encoding and a worksheet or list; None for the default.
        encoded: whether it is text, in an encoding to be found; otherwise the content names it.
    """

    title: str
    endings: tuple[str, ...]
    read: Callable[[Source, str | None, str | None], Table]
    encoded: bool = True

    @property
    def name(self) -> str:
        """The usual file ending of the format."""
        return self.endings[0]


# Readers are imported when first needed: some take long to import.
def _delimited(source, encoding, worksheet):
    from concord.importing.readers import delimited

    return delimited.read(source, encoding)


def _json_lines(source, encoding, worksheet):
    from concord.importing.readers import json_files

    return json_files.read_jsonl(source, encoding)


def _json(source, encoding, worksheet):
    from concord.importing.readers import json_files

    return json_files.read_json(source, encoding, worksheet)


def _parquet(source, encoding, worksheet):
    from concord.importing.readers import parquet

    return parquet.read(source)


def _xlsx(source, encoding, worksheet):
    from concord.importing.readers import xlsx

    return xlsx.read(source, worksheet)


FORMATS = (
    Format("CSV", ("csv", "txt"), _delimited),
    Format("TSV", ("tsv", "tab"), _delimited),
    Format("JSONL", ("jsonl", "ndjson"), _json_lines),
    Format("JSON", ("json",), _json),
    Format("Parquet", ("parquet", "pq"), _parquet, encoded=False),
    Format("XLSX", ("xlsx", "xlsm"), _xlsx, encoded=False),
)
_BY_ENDING = {ending: form for form in FORMATS for ending in form.endings}
_BY_NAME = {form.name: form for form in FORMATS}
TITLES = said(
    "{formats} or {last}",
    formats=joined(", ", [form.title for form in FORMATS[:-1]]),
    last=FORMATS[-1].title,
)


def is_encoded(name: str) -> bool:
    """Return True where a file of this name is text, whose encoding a user can correct."""
    form = _BY_ENDING.get(name.lower().rpartition(".")[2])
    return form is None or form.encoded


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
        read = _format(source).read(source, encoding, worksheet)
    return checked(read)


def checked(read: Table) -> Table:
    """The table with errors of its records made sentences.

    Raises:
        Problem: it has an invalid name of a column, or no rows.
    """
    _check_names(read)
    table = _safe(read)
    records = table.records()
    if next(records, None) is None:
        raise Problem(
            "{file} has no rows. Add at least one.", file=read.source.name, fault_code="no_rows"
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
                "The name of column {place} of {file} is invalid: {fault}",
                place=place,
                file=table.source.name,
                fault=str(fault),
                fault_code="bad_name",
            ) from None


def _format(source: Source) -> Format:
    with source.open() as file:
        head = file.read(4096)
    named, found = _BY_ENDING.get(source.extension), _by_content(source, head)
    content = _BY_NAME.get(found)
    if content and named and named != content:
        raise Problem(
            "{file} is actually {found_upper}. Change its extension to .{found}.",
            file=source.name,
            found_upper=content.title,
            found=content.name,
            fault_code="extension",
        )
    if content:
        return content
    if named and not named.encoded:
        raise Problem(
            "{file} is not {named_upper}, despite its extension. Save it as {named}, or correct "
            "the extension.",
            file=source.name,
            named_upper=named.title,
            named=named.name,
            fault_code="extension",
        )
    return _of_text(named, found)


def _of_text(named: Format | None, found: str) -> Format:
    """Return the text format by name, but a list is JSON even in a file named .jsonl."""
    if named and not (named.name == "jsonl" and found == "["):
        return named
    return _BY_NAME["json" if found in ("[", "{") else "csv"]


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
            "{file} is a damaged workbook or archive. Save it again.",
            file=source.name,
            fault_code="damaged",
        ) from None
    raise Problem(
        "{file} is a ZIP archive or another Office document, not a table. Unpack it, or save the "
        "table as {formats}, and choose that file.",
        file=source.name,
        formats=TITLES,
        fault_code="not_a_table",
    )
