"""Members of a ZIP archive, unpacked to no more than they declare; Zstandard included.

`zipfile` unpacks most kinds of members whole before it looks at their size, so that a small hostile
archive could take all memory. Only Deflate and Zstandard are read here, both in bounds.
"""

import copy
import importlib
import zipfile
import zlib
from types import ModuleType

ZSTANDARD = 93
_IN_BOUNDS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


def unpacked(archive: zipfile.ZipFile, name: str) -> bytes:
    """The bytes of a member.

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
