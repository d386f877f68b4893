"""Recognition of exports whose first record is longer than what is read at once."""

import json
import tracemalloc

import pytest

from concord.importing.recognition import recognise
from concord.importing.recognition.recognise import open_file, recognised
from tests.support.exports import FOLDER, rows

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


@pytest.mark.parametrize("name", [name for name in FILES if name.endswith(".json")])
def test_an_indented_export_with_a_long_first_record_is_recognised(name):
    table = recognised(long_export(name, indent=1).encode(), name)
    assert table is not None and table.origin == rows(name)[1]


def test_a_mark_across_two_parts_of_a_file_is_found(monkeypatch):
    name = "promptfoo.json"
    for size in range(50, 60):
        monkeypatch.setattr(recognise, "_CHUNK_BYTES", size)
        assert rows(name)[1].tool == "promptfoo results"


def test_what_follows_the_first_record_is_not_searched(tmp_path):
    """Plain answers may name in any text what a tool calls its fields."""
    plain = {"question": "When?", "answer": "Now.", "more": "x" * LONG}
    path = tmp_path / "answers.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for text in ("", '"evalId" and "results"'):
            file.write(json.dumps({**plain, "answer": text}) + "\n")
    assert open_file(path).origin is None
    source = open_file(path).source
    assert recognise.marks_found(source, ["question", "evalId"]) == {"question"}


def test_a_long_search_takes_little_memory(tmp_path):
    path = tmp_path / "answers.json"
    with path.open("w", encoding="utf-8") as file:
        file.write('{"text": "')
        for _ in range(60):
            file.write("x" * (1 << 20))
        file.write('", "evalId": 1}')
    source = open_file(FOLDER / "promptfoo.json").source
    source = type(source)(path.name, path, None, path.stat().st_size)
    tracemalloc.start()
    assert recognise.marks_found(source, ["evalId"]) == {"evalId"}
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20 << 20
