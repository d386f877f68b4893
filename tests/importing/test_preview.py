"""A preview counts what an import would take and shows its first answers."""

import json

from concord.importing import answer_file
from concord.importing.sheet_import import preview


def test_long_texts_are_cut_and_put_on_one_line():
    rows = [{"question": "Q\n\nx", "answer": "word " * 10_000, "context": ["a", "b"]}]
    (one,) = preview(answer_file.load(json.dumps(rows).encode(), "s.json")).first
    assert (one.question, len(one.answer), one.contexts) == ("Q x", 201, 2)
