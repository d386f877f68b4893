"""Members of archives, in bounds."""

import io
import struct
import tracemalloc
import zipfile
import zlib

import pytest

from concord.importing.recognition import documents
from concord.importing.recognition.documents import unpacked
from tests.support.exports import FOLDER

ZSTD = documents._zstandard()
BOMB = 64 << 20


def opened(data: bytes) -> zipfile.ZipFile:
    return zipfile.ZipFile(io.BytesIO(data))


def deflated(text: bytes) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("a", text)
    return held.getvalue()


def archived(packed: bytes, size: int, crc: int, kind: int = documents.ZSTANDARD) -> bytes:
    """An archive with one member `a` that declares this kind, size and checksum."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as file:
        file.writestr("a", packed)
    data = bytearray(held.getvalue())
    central = data.index(b"PK\x01\x02")
    for start in (8, central + 10):
        struct.pack_into("<H", data, start, kind)
    for start in (14, central + 16):
        struct.pack_into("<I", data, start, crc)
    for start in (22, central + 24):
        struct.pack_into("<I", data, start, size)
    return bytes(data)


def peak(call) -> int:
    """The most bytes that were held at once while a call failed."""
    tracemalloc.start()
    try:
        with pytest.raises(zipfile.BadZipFile):
            call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_members_of_both_kinds_are_read():
    with zipfile.ZipFile(FOLDER / "inspect.eval") as file:
        assert {one.compress_type for one in file.infolist()} == {documents.ZSTANDARD}
        for one in file.infolist():
            assert len(unpacked(file, one.filename)) == one.file_size
    for text in (b"", b"abc" * 1000):
        assert unpacked(opened(deflated(text)), "a") == text
        packed = archived(ZSTD.compress(text), len(text), zlib.crc32(text))
        assert unpacked(opened(packed), "a") == text


@pytest.mark.parametrize("kind", [zipfile.ZIP_DEFLATED, documents.ZSTANDARD])
def test_a_member_of_more_than_it_declares_takes_no_memory(kind):
    text = bytes(BOMB)
    if kind == documents.ZSTANDARD:
        packed = ZSTD.compress(text)
    else:
        packed = zlib.compressobj(wbits=-15)
        packed = packed.compress(text) + packed.flush()
    data = archived(packed, 1000, zlib.crc32(text[:999]), kind)
    assert len(data) < 100_000
    assert peak(lambda: unpacked(opened(data), "a")) < 4 << 20


def test_damage_is_no_traceback_of_a_library():
    text = b"abc" * 1000
    packed = ZSTD.compress(text)
    for data in (b"not zstandard", packed[:-5], packed[:10] + b"xxxx" + packed[14:]):
        with pytest.raises(zipfile.BadZipFile):
            unpacked(opened(archived(data, len(text), zlib.crc32(text))), "a")
    with pytest.raises(zipfile.BadZipFile):
        unpacked(opened(archived(packed, len(text), zlib.crc32(text) ^ 1)), "a")


def test_compression_without_a_bound_is_not_read():
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_BZIP2) as file:
        file.writestr("a", bytes(BOMB))
    with pytest.raises(NotImplementedError):
        unpacked(opened(held.getvalue()), "a")
