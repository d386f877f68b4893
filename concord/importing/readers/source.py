"""Source of a sheet's bytes: a path or an upload; rejects what is evidently not a sheet."""

import hashlib
import io
from pathlib import Path
from typing import BinaryIO, NamedTuple

from concord.messages import Numeral, Problem, said, system_fault
from concord.resources import COMMAND

BROWSER_MAX_BYTES = 200 * 1024**2
# A longer line is no row of a sheet, and reading it might take all the memory there is.
LINE_CHARACTERS = 1 << 26
_CHUNK_BYTES = 1 << 20
_HEAD_BYTES = 1 << 16
_TELLING_BYTES = 1 << 18
_FOREIGN = {
    b"%PDF": said("a PDF"),
    b"MZ": said("a Windows program"),
    b"\x7fELF": said("a program"),
    b"\x1f\x8b": said("a gzip archive"),
    b"BZh": said("a bzip2 archive"),
    b"\xfd7zXZ": said("an xz archive"),
    b"7z\xbc\xaf": said("a 7-Zip archive"),
    b"Rar!": said("a RAR archive"),
    b"\x89PNG": said("a PNG picture"),
    b"\xff\xd8\xff": said("a JPEG picture"),
    b"GIF8": said("a GIF picture"),
    b"SQLite format 3\0": said("a SQLite database"),
    b"\xd0\xcf\x11\xe0": said("an old or password-protected Office file"),
    b"{\\rtf": said("an RTF document"),
}
_BINARY_SHEETS = (b"PK", b"PAR1")
# Four in a row are no text in UTF-8 or UTF-16 either.
_NULS = b"\0\0\0\0"
_MARKUP = (b"<!doctype", b"<html", b"<?xml", b"<head", b"<body")


class Source(NamedTuple):
    """A file by path, or its bytes; `name` is the file name that messages use."""

    name: str
    path: Path | None
    data: bytes | None
    size: int

    @property
    def extension(self) -> str:
        """The end of the name in lower case, without its dot."""
        return Path(self.name).suffix.lower().lstrip(".")

    @property
    def stem(self) -> str:
        """The name without its extension: the default name of the sheet."""
        return Path(self.name).stem

    def open(self) -> BinaryIO:
        """The bytes from the beginning."""
        return io.BytesIO(self.data) if self.path is None else self.path.open("rb")

    def sha256(self) -> str:
        """The SHA-256 of the bytes, in hex."""
        with self.open() as file:
            return hashlib.file_digest(file, "sha256").hexdigest()

    def telling_bytes(self) -> bytes:
        """Return the bytes to detect an encoding from: the head, then the non-ASCII lines.

        The whole file where it is small, at most about 1.3 MB otherwise.
        """
        with self.open() as file:
            head = file.read(_HEAD_BYTES if self.size > _CHUNK_BYTES else -1)
            if (
                len(head) == self.size
                or b"\0" in head
                or head.startswith((b"\xff\xfe", b"\xfe\xff"))
            ):
                return head
            # To the end of its line: a multi-byte character cut in two would count against every
            # encoding.
            return head + file.readline(LINE_CHARACTERS) + _foreign_lines(file)


def open_source(
    given: str | Path | bytes,
    name: str = "",
    max_bytes: int | None = None,
    save_as: str = said("plain text"),
) -> Source:
    """A source from a path, or from bytes with the file's name.

    `max_bytes` is the limit of the browser; leave it out where any size may be read. `save_as` are
    the formats that an error recommends.

    Raises:
        Problem: the file is missing, unreadable, empty, too large or evidently not a sheet.
    """
    source = _from_bytes(given, name) if isinstance(given, bytes) else _from_path(Path(given))
    if max_bytes is not None and source.size > max_bytes:
        raise Problem(
            "{file} has {size}; the limit in the browser is {max_bytes}. Import it on the command "
            "line, which has no limit: {concord} import {file}",
            concord=COMMAND,
            file=source.name,
            size=megabytes(source.size),
            max_bytes=megabytes(max_bytes),
            fault_code="too_large",
        )
    with source.open() as file:
        _refuse_foreign(source.name, file.read(512), save_as)
    return source


def _from_bytes(data, name):
    return Source(Path(name).name or "upload", None, data, len(data))


def _from_path(path):
    try:
        if path.is_dir():
            raise Problem(
                "{path} is a folder. Name a file in it.", path=path, fault_code="not_a_file"
            )
        if path.exists() and not path.is_file():
            raise Problem(
                "{path} is a pipe or a device, which can be read only once. Save its output "
                "as a file, and name that file.",
                path=path,
                fault_code="not_a_file",
            )
        # Opened and read once, so that a missing permission is reported here and not within an
        # import.
        with path.open("rb") as file:
            file.read(1)
            name = path.name.encode(errors="replace").decode()  # a name need not be text
            return Source(name, path, None, path.stat().st_size)
    except OSError as error:
        reason = system_fault(error)
        raise Problem(
            "{path} cannot be read: {reason}. Check the path.",
            path=path,
            reason=reason,
            fault_code="no_file",
        ) from None


def _refuse_foreign(name, head, save_as):
    if not head.strip(b" \t\r\n\xef\xbb\xbf"):
        raise Problem(
            "{name} is empty. Choose a file with at least one row.", name=name, fault_code="empty"
        )
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    # By content and not by extension, which users change to make a file acceptable.
    kind = next((kind for magic, kind in _FOREIGN.items() if head.startswith(magic)), None)
    if kind is None and text.startswith(_MARKUP):
        kind = said("a web page or XML")
    if kind is None and _NULS in head and not head.startswith(_BINARY_SHEETS):
        raise Problem(
            "{name} contains NUL bytes: it was truncated while copying, or is not a text file. "
            "Copy it again, or choose another file.",
            name=name,
            fault_code="nul",
        )
    if kind:
        raise Problem(
            "{name} is {kind}. Save the data as {formats} and choose that file.",
            name=name,
            kind=kind,
            formats=save_as,
            fault_code="not_a_table",
        )


def _foreign_lines(file):
    """Lines with bytes above 127, up to a limit; plain lines tell nothing about an encoding."""
    found, size = [], 0
    while size < _TELLING_BYTES and (chunk := file.read(_CHUNK_BYTES)):
        if chunk.isascii():
            continue
        lines = (chunk + file.readline(LINE_CHARACTERS)).splitlines(keepends=True)
        telling = [line for line in lines if not line.isascii()]
        found += telling
        size += sum(map(len, telling))
    return b"".join(found)


def megabytes(size: int) -> Numeral:
    """A number of bytes as a message shows it, in MB or GB."""
    small = size < 1024**3
    return Numeral(f"{size / 1024**2:,.0f} MB" if small else f"{size / 1024**3:,.1f} GB")
