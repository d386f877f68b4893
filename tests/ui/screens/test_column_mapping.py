"""The table of columns says the map it begins with, whatever the map is."""

import json

import pytest

from concord.importing.columns import column_map
from concord.importing.fields import ITEM_FIELDS
from concord.importing.readers.formats import open_table
from concord.ui.column_mapping import map_rows, words_of

ROW = {
    "id": "1",
    "q": "Why?",
    "a": "So.",
    "b": "Thus.",
    "ana": 1,
    "more": [{"text": "x", "by": "bo", "score": 2}],
}


@pytest.mark.parametrize(
    "words",
    [
        ("item_id=id", "question=q", "answer=a", "answer_model:=ours"),
        ("question=q", "answer:one=a", "answer:two=b"),
        ("question=q", "answer=a", "score:annotator:{b}:tone=ana", "cluster=q"),
        ("question=q", "answer=more.0.text", "score:judge:gpt=4:tone=ana", "criterion:tone=style"),
        ("question=q", "answer=a", "score=more.{n}.score", "grader=more.{n}.by",
         "grader_kind:=annotator", "criterion:=tone", "criterion:wit="),
    ],
)  # fmt: skip
def test_a_map_comes_back_from_its_rows(words):
    table = open_table(json.dumps([ROW]).encode(), "s.json")
    start = column_map(table.columns, (*words, "contexts="))
    rows, more = map_rows(table, start)
    found = column_map(table.columns, words_of(rows, more, ITEM_FIELDS))
    assert {*found.spoken()} == {*start.spoken()}
