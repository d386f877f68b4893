"""Objects with fixed keys become dotted columns; dictionaries and contexts stay one cell."""

import io
import json

import pyarrow
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from concord.importing.readers import nested
from concord.importing.readers.cells import Damaged
from concord.importing.readers.formats import open_table
from concord.messages import Problem
from tests.support.files import KEYS, VALUES


def of_json(found, name="s.json"):
    return open_table(json.dumps(found).encode(), name)


def rows(table):
    return [record.cells for record in table.records()]


@pytest.mark.parametrize(
    ("row", "columns", "cells"),
    [
        ({"id": 1, "m": {"f1": 0.50, "n": 2}}, ("id", "m.f1", "m.n"), ("1", "0.5", "2")),
        ({"a": {"b": {"c": {"d": True}}}}, ("a.b.c.d",), ("true",)),
        ({"question": {"text": "Q", "id": "7"}}, ("question.text", "question.id"), ("Q", "7")),
        ({"m": {"x": [1, {"y": 2}]}}, ("m.x",), ([1, {"y": 2}],)),
        ({"context": {"text": "T", "id": "c"}}, ("context",), ({"text": "T", "id": "c"},)),
        ({"x": {"contexts": {"text": "T"}}}, ("x.contexts",), ({"text": "T"},)),
        ({"rubric": {"0": "bad", "1": "good"}}, ("rubric",), ({"0": "bad", "1": "good"},)),
        ({"m": {}}, ("m",), ({},)),
        ({"m": {"": 1}}, ("m",), ({"": 1},)),
        ({"a.b": 1, "a": {"b": 2}}, ("a.b", "a"), ("1", {"b": 2})),
    ],
)
def test_which_objects_are_opened(row, columns, cells):
    table = of_json([row])
    assert (table.columns, rows(table)) == (columns, [cells])


def test_a_number_in_an_object_stays_as_spelled():
    assert rows(open_table(b'[{"m": {"v": 1.10, "w": 1e3}}]', "s.json")) == [("1.10", "1e3")]


def test_an_object_under_each_answering_model_stays_one_cell():
    answers = {"gpt": {"text": "A", "score": 1}, "claude-3.5": {"text": "B"}}
    assert of_json([{"answers": answers}, {"answers": {}}]).columns == ("answers",)
    opened = of_json([{"data": {"question": {"id": 1, "t": 2}, "answer": {"id": 1, "t": 2}}}])
    assert opened.columns == (
        "data.question.id", "data.question.t", "data.answer.id", "data.answer.t"
    )  # fmt: skip


def test_keys_that_differ_from_row_to_row_make_no_columns():
    table = of_json([{"n": {f"k{row}_{n}": 1 for n in range(3)}} for row in range(3000)])
    assert table.columns == ("n",)
    assert of_json([{"n": {f"k{n}": 1 for n in range(61)}}]).columns == ("n",)
    assert len(of_json([{"n": {f"k{n}": 1 for n in range(60)}}]).columns) == 60
    wide = of_json([{f"c{c}": {f"k{n}": 1 for n in range(50)} for c in range(30)}])
    assert len(wide.columns) <= nested.COLUMNS


def test_a_value_that_is_no_object_keeps_the_column_whole():
    assert of_json([{"m": {"a": 1}}, {"m": "none"}]).columns == ("m",)
    assert rows(of_json([{"m": {"a": 1}}, {"m": None}])) == [("1",), (None,)]


def test_a_damaged_object_damages_its_leaves():
    table = open_table(b'[{"m": {"a": 1}}, {"m": {"a": 1, "a": 2}}]', "s.json")
    ((one,), (two,)) = rows(table)
    assert one == "1"
    assert isinstance(two, Damaged)


def test_a_list_of_objects_is_found_under_nested_keys():
    found = [{"question": "Q", "m": {"a": 1}}]
    for shape in (
        {"results": {"rows": found}},
        {"meta": {"n": 1}, "run": {"out": {"rows": found}}},
    ):
        table = of_json(shape)
        assert table.columns[-2:] == ("question", "m.a")
        assert rows(table)[0][-2:] == ("Q", "1")


def test_a_single_row_is_not_read_as_the_lists_inside():
    row = {"question": "Q", "meta": {"chunks": [{"text": "T"}]}}
    assert rows(of_json(row)) == [("Q", [{"text": "T"}])]


def test_parquet_gives_the_same_columns_as_json():
    found = [
        {
            "id": "a",
            "m": {"f": 0.5, "n": {"x": "1"}},
            "answers": {"g": {"t": "A"}, "c": {"t": "B"}},
        },
        {"id": "b", "m": None, "answers": None},
    ]
    file = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(found), file)
    table = open_table(file.getvalue(), "s.parquet")
    assert table.columns == of_json(found).columns == ("id", "m.f", "m.n.x", "answers")
    assert rows(table) == rows(of_json(found))


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(KEYS, VALUES, max_size=4))
def test_any_json_gives_a_table_or_one_sentence(found):
    try:
        rows(of_json(found))
    except Problem as refused:
        assert str(refused)
