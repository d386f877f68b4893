"""Files as the documents that are read one after the other."""

import json
import tracemalloc

import pytest

from concord.importing.recognition import documents
from concord.importing.recognition.recognise import open_file, recognised
from concord.messages import Problem
from tests.support.exports import FOLDER, parsed, rows

TRACES = parsed("mlflow.json")


def lines(values) -> bytes:
    return "\n".join(json.dumps(one) for one in values).encode()


@pytest.mark.parametrize("name", ["mlflow.json", "phoenix.json", "argilla.json"])
def test_lines_are_read_in_parts_as_one_value_is_read_whole(name, monkeypatch):
    monkeypatch.setattr(documents, "_LINES", 2)
    whole, origin = rows(name)
    in_parts, of_lines = rows(lines(parsed(name)), "export.jsonl")
    assert in_parts == whole and of_lines == origin
    assert recognised(lines(parsed(name)), "export.json").format == "jsonl"


def test_rows_of_csv_are_read_in_parts(monkeypatch):
    whole = rows("langfuse_scores.csv")
    monkeypatch.setattr(documents, "_LINES", 1)
    assert rows("langfuse_scores.csv") == whole and len(whole[0]) > 2


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


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        ("mlflow.json", "Save it as JSON Lines"),
        ("promptfoo.json", "Export it in parts"),
        ("promptfoo.jsonl", "Export it in parts"),
    ],
)
def test_one_value_that_is_too_large_is_refused_before_it_is_parsed(name, remedy, monkeypatch):
    monkeypatch.setattr(documents, "WHOLE_BYTES", 10_000)
    monkeypatch.setattr(documents, "_whole", None)
    with pytest.raises(Problem, match=f"{remedy}"):
        recognised(FOLDER / name)


def test_a_line_that_is_damaged_is_left_to_the_reader_that_names_it():
    data = lines(TRACES) + b'\n{"info": \n'
    assert recognised(data, "traces.jsonl") is None
    table = open_file(data, "traces.jsonl")
    assert [one.row for one in table.records() if one.fault] == [4]


def test_a_file_of_one_line_is_one_value():
    for data in (lines(TRACES[:1]), lines(TRACES[:1]) + b"\n\n"):
        assert recognised(data, "traces.json").format == "json"


@pytest.mark.parametrize(
    ("data", "place"),
    [('{"info": 1, "assessments": []}\n' * 2 + "%s\n", "traces.json:3"), ("[%s]", "traces.json")],
)
@pytest.mark.parametrize("digits", [4_000, 5_000])
def test_a_number_with_thousands_of_digits_is_named_with_its_line(data, place, digits):
    row = '{"info": {"n": 1%s}, "assessments": []}' % ("0" * digits)
    with pytest.raises(Problem, match=f"{place} cannot be read: it contains a number with thous"):
        open_file((data % row).encode(), "traces.json")
