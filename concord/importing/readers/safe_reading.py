"""Safe reading of untrusted files: one error for damage, and limits on unpacked size.

A reader only reads. Whatever it raises, except a Problem and MemoryError, means that the file is
damaged or not supported. A small file can unpack to more than the available memory, so packed
formats, and those in which an absent cell costs nothing, have limits; CSV and TSV need none.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from concord.importing.readers.cells import excerpt
from concord.importing.readers.table import Record, Source, Table
from concord.messages import Problem, quoted, said

# No message lists more names of columns.
LISTED = 30
# Rows times columns of one sheet.
CELLS = 25_000_000
# What a file may unpack to, in bytes or characters, or so many times its own size where that is
# more; text is seldom packed to less than a twentieth.
UNPACKED, RATIO = 1 << 28, 100
# Letters per value of JSON below which it says next to nothing; results of tools have 20 or more.
_DENSE = 8


@contextmanager
def reading(sentence: str) -> Iterator[None]:
    """Turn whatever a reader raises into a Problem with this sentence."""
    try:
        yield
    except Exception as error:
        # A full memory is this machine's state, not the file's; but Arrow's own kind of it is a
        # damaged length, which requests absurd amounts.
        if isinstance(error, Problem) or type(error) is MemoryError:
            raise
        raise Problem(sentence) from error


def damaged(name: str) -> str:
    """The sentence for a file that a reader fails on."""
    text = "{name} is damaged or not supported. Save it again, or as CSV."
    return said(text, name=name, fault_code="damaged")


def records(table: Table) -> Iterator[Record]:
    """The records of a table, with a sentence for damage."""
    with reading(damaged(table.source.name)):
        yield from table.records()


def too_large(name: str, has: str, most: str) -> Problem:
    """The error for a file that would take too much memory."""
    return Problem(
        "{name} has {has}; the limit is {most}. Remove what is not needed, or export it in "
        "parts, which one sheet takes with --sheet. CSV and JSON Lines have no limit.",
        name=name,
        has=has,
        most=most,
        fault_code="too_large",
    )


def check_cells(name: str, rows: int, columns: int) -> None:
    """Reject a sheet with more cells than are kept in memory."""
    # A product and not a file size: a small XLSX can declare millions of empty cells.
    if rows * max(columns, 1) > CELLS:
        raise too_large(name, f"{rows:,} rows and {columns:,} columns", f"{CELLS:,} cells")


def check_size(source: Source, size: int) -> None:
    """Reject content that unpacks to more bytes or characters than are kept in memory."""
    most = max(UNPACKED, RATIO * source.size)
    if size > most:
        raise too_large(source.name, f"{size >> 20:,} MB of content", f"{most >> 20:,} MB")


def check_values(name: str, text: str) -> None:
    """Reject JSON whose values would fill the memory, each of which takes more than its text.

    The marks between values are counted, those within texts too, which only makes it stricter.
    Files of hardly anything but brackets take fifty times their size, so fewer are read.
    """
    count = sum(text.count(mark) for mark in ",{[")
    most = CELLS if len(text) >= _DENSE * count else CELLS // 5
    if count > most:
        raise too_large(name, f"about {count:,} values in one piece of JSON", f"{most:,}")


def listed(names: Iterable[str], between: str = ", ") -> str:
    """Return names in quotes; of very many only the first."""
    return quoted(map(excerpt, names), between, LISTED)
