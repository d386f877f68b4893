"""Recognition of exports of other tools, and their tables."""

import io
import json
import random
import struct
import tracemalloc
import zipfile
import zlib

import pytest
from backports import zstd

from concord.importing import recognition
from concord.importing.readers import json_files
from concord.importing.recognition import (
    open_file,
    recognised,
)
from concord.messages import Problem
from tests.support.exports import FOLDER, grades, parsed, rows


@pytest.mark.parametrize("score", [[1], {"a": 1}, {}, "", {"a": 1, "b": 2}])
def test_what_is_no_single_value_is_no_number(score):
    data = parsed("promptfoo.json")
    changed = 0
    for row in data["results"]["results"]:
        for one in (row.get("gradingResult") or {}).get("componentResults") or []:
            if one.get("assertion", {}).get("type") == "human":
                one["score"], changed = score, changed + 1
    found, _origin = rows(json.dumps(data).encode(), "results.json")
    assert not [one for row in found for one in grades(row) if one[0] == "annotator"]
    assert changed == 3


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.json")), ids=lambda path: path.stem)
def test_a_changed_export_is_read_or_refused_with_a_reason_of_its_own(path):
    """A value that is no longer what a reader expects must not make the whole file damaged."""
    chance = random.Random(path.name)
    text = path.read_text(encoding="utf-8")
    places = [*_places(json.loads(text))]
    for _ in range(80):
        data = json.loads(text)
        _change(data, chance.choice(places), chance)
        try:
            table = recognised(json.dumps(data).encode(), path.name)
            assert table is None or table.origin
        except Problem as problem:
            assert problem.__cause__ is None, (problem, data)


def _places(data, way=()):
    """Yield the way to every value inside."""
    inside = data.items() if isinstance(data, dict) else enumerate(data)
    for key, one in inside if isinstance(data, dict | list) else ():
        yield (*way, key)
        if isinstance(one, dict | list):
            yield from _places(one, (*way, key))


def _change(data, way, chance):
    """Replace the value at the end of a way, or remove it."""
    for key in way[:-1]:
        data = data[key]
    if chance.random() < 0.2:
        del data[way[-1]]
    else:
        others = (None, 3, -1.5, True, "x", "", [], [1], {}, {"a": 1}, [{}], [None], 10**30)
        data[way[-1]] = chance.choice(others)


LONG = 3 << 20
FILES = sorted(path.name for path in FOLDER.glob("*.json*"))


def lengthened(data):
    """The same with a long text before every other key of its first record."""
    if isinstance(data, list):
        return [lengthened(data[0]), *data[1:]]
    return {"AAA": "x" * LONG, **data}


def long_export(name, indent=None):
    text = (FOLDER / name).read_text(encoding="utf-8")
    if name.endswith(".jsonl"):
        first, *others = text.splitlines()
        return "\n".join([json.dumps(lengthened(json.loads(first))), *others])
    return json.dumps(lengthened(json.loads(text)), indent=indent)


@pytest.mark.parametrize("codec", ["utf-8", "utf-16"])
@pytest.mark.parametrize("name", FILES)
def test_an_export_with_a_long_first_record_is_recognised(name, codec):
    table = recognised(long_export(name).encode(codec), name)
    whole, origin = rows(name)
    assert table is not None and table.origin == origin
    assert sum(1 for _ in table.records()) == len(whole)


def test_plain_answers_that_name_the_fields_of_a_tool_are_no_export(tmp_path):
    """Plain answers may name in any text what a tool calls its fields."""
    plain = {"question": "When?", "answer": "Now.", "more": "x" * LONG}
    path = tmp_path / "answers.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for text in ("", '"evalId" and "results"'):
            file.write(json.dumps({**plain, "answer": text}) + "\n")
    assert open_file(path).origin is None


TRACES = parsed("mlflow.json")


def lines(values) -> bytes:
    return "\n".join(json.dumps(one) for one in values).encode()


@pytest.mark.parametrize("name", ["mlflow.json", "phoenix.json", "argilla.json"])
def test_lines_are_read_in_parts_as_one_value_is_read_whole(name, monkeypatch):
    monkeypatch.setattr(recognition, "_LINES", 2)
    whole, origin = rows(name)
    in_parts, of_lines = rows(lines(parsed(name)), "export.jsonl")
    assert in_parts == whole and of_lines == origin
    assert recognised(lines(parsed(name)), "export.json").format == "jsonl"


def test_many_lines_take_little_memory(tmp_path):
    path = tmp_path / "traces.jsonl"
    (trace, *_) = TRACES
    with path.open("w", encoding="utf-8") as file:
        for n in range(2_400):
            info = {**trace["info"], "trace_id": f"tr-{n}"}
            file.write(json.dumps({**trace, "info": info}) + "\n")
    tracemalloc.start()
    table = recognised(path)
    assert sum(1 for _ in table.records()) == 2_400
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert path.stat().st_size > 17 << 20 > peak


@pytest.mark.parametrize("name", ["mlflow.json", "promptfoo.json", "promptfoo.jsonl"])
def test_one_value_that_is_too_large_is_refused_before_it_is_parsed(name, monkeypatch):
    monkeypatch.setattr(recognition, "WHOLE_BYTES", 10_000)
    monkeypatch.setattr(json_files, "text_of", None)
    with pytest.raises(Problem) as problem:
        recognised(FOLDER / name)
    assert problem.value.code == "too_large"


def test_a_line_that_is_damaged_is_left_to_the_reader_that_names_it():
    data = lines(TRACES) + b'\n{"info": \n'
    assert recognised(data, "traces.jsonl") is None
    table = open_file(data, "traces.jsonl")
    assert [one.row for one in table.records() if one.fault] == [4]


def test_a_file_of_one_line_is_one_value():
    for data in (lines(TRACES[:1]), lines(TRACES[:1]) + b"\n\n"):
        assert recognised(data, "traces.json").format == "json"


ZSTANDARD, BOMB = 93, 64 << 20


def archived(packed: bytes, size: int, crc: int, kind: int) -> bytes:
    """An archive with one `header.json` that declares this kind, size and checksum."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as file:
        file.writestr("header.json", packed)
    data = bytearray(held.getvalue())
    central = data.index(b"PK\x01\x02")
    for start in (8, central + 10):
        struct.pack_into("<H", data, start, kind)
    for start in (14, central + 16):
        struct.pack_into("<I", data, start, crc)
    for start in (22, central + 24):
        struct.pack_into("<I", data, start, size)
    return bytes(data)


@pytest.mark.parametrize("kind", [zipfile.ZIP_DEFLATED, ZSTANDARD])
def test_a_member_of_more_than_it_declares_takes_no_memory(kind):
    text = bytes(BOMB)
    packer = zlib.compressobj(wbits=-15)
    packed = packer.compress(text) + packer.flush()
    data = archived(zstd.compress(text) if kind == ZSTANDARD else packed, 1000, 1, kind)
    assert len(data) < 100_000
    tracemalloc.start()
    assert recognised(data, "log.eval") is None
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4 << 20


def test_a_damaged_member_is_refused_in_a_sentence():
    text = b"abc" * 1000
    packed = zstd.compress(text)
    for data in (b"not zstandard", packed[:10] + b"xxxx" + packed[14:]):
        with pytest.raises(Problem) as problem:
            open_file(archived(data, len(text), zlib.crc32(text), ZSTANDARD), "log.eval")
        assert problem.value.code in ("damaged", "not_a_table")
