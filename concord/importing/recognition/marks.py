"""Search for the marks of tools in the first record of a file, however long it is."""

import codecs
import json
from collections.abc import Iterable, Iterator

from concord.importing.readers.source import Source
from concord.importing.recognition.documents import WHOLE_BYTES

_CHUNK_BYTES = 1 << 20
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def found(source: Source, marks: Iterable[str]) -> set[str]:
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


def beginning(source: Source) -> bytes:
    """The first bytes of a file, in UTF-8 where it is in UTF-16."""
    return next(_chunks(source), b"")


def _beginning(source: Source) -> Iterator[bytes]:
    """The parts of a file up to the end of its first record.

    Without a line break in the first part, the record ends with the first line; else, as in
    indented JSON, the end is not looked for.
    """
    chunks = _chunks(source)
    head = next(chunks, b"")
    yield head
    if not _is_json(head) or _has_record(head):
        return
    is_line = b"\n" not in head.strip()
    for chunk in chunks:
        line, line_break, _ = chunk.partition(b"\n") if is_line else (chunk, b"", b"")
        yield line
        if line_break:
            return


def _chunks(source: Source) -> Iterator[bytes]:
    """A file in parts, up to the size that is read whole; UTF-16 (of PowerShell) as UTF-8."""
    with source.open() as file:
        decoder, size = None, 0
        while size < WHOLE_BYTES and (chunk := file.read(_CHUNK_BYTES)):
            if not size and chunk.startswith(_UTF16):
                decoder = codecs.getincrementaldecoder("utf-16")("ignore")
            size += len(chunk)
            yield decoder.decode(chunk).encode() if decoder else chunk


def _is_json(head: bytes) -> bool:
    return head.removeprefix(codecs.BOM_UTF8).lstrip()[:1] in (b"{", b"[")


def _has_record(head: bytes) -> bool:
    """True where the first object ends in the first part: a line, or the first of a list."""
    text = head.removeprefix(codecs.BOM_UTF8).decode("latin-1").lstrip("[ \r\n\t")
    try:
        json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return False
    return True
