"""Fixtures of the tests of exporting."""

import json

import pytest

from concord.importing import answer_file, sheet_import
from concord.model import Distribution
from concord.store import graders, grades, items, sheets
from concord.store.grades import Press
from concord.text.marked_passages import Passage, quoted, stored
from tests.support.exports import graded_traces

_SHARES = Distribution("native", ((0, 0.1), (1, 0.1), (2, 0.7), (3, 0.099)), 0.001)


@pytest.fixture
def odd(store):
    """A sheet with everything that files like to break: quotes, lines, 007, NA, CJK, nothing."""
    data = [
        {
            "item_id": "007",
            "question_id": "01",
            "question": 'Say "hi",\nplease; 中文？',
            "contexts": [{"id": "c", "doc_id": "d", "text": "eins, zwei\r\ndrei"}, "二"],
            "answer": "NA",
            "model": "m",
            "reference": ["a", "b"],
            "turns": [{"role": "user", "content": "hé"}],
            "synthetic": "yes",
            "team": "red",
        },
        {
            "item_id": "8",
            "question_id": "01",
            "question": 'Say "hi",\nplease; 中文？',
            "answer": "",
        },
        {"question": "No ids?", "answer": "'=1+1", "model": "n", "cluster": "k"},
        {"question": "No ids?", "answer": " two ", "model": "o", "cluster": "k"},
    ]
    read = answer_file.load(json.dumps(data).encode(), "odd.json")
    sheet_import.take_sheet(store, read, "odd")
    return sheets.find(store, "odd")


_MARKED = (Passage("context", 2, 3, '=李 "a",\nb'), Passage("answer", 1, 1, "no"))
_EVIDENCE = {"quote": quoted(_MARKED), "marked_passages": stored(_MARKED)}


@pytest.fixture
def graded_odd(store, odd, rubric):
    """Grades of every kind: scored, not, twice, changed, taken back, by name and fingerprint."""
    versions = rubric[1].versions()
    ana = graders.ensure(store, "person", "Ana 李")
    old, new = (graders.ensure(store, "judge", "gpt", mark) for mark in ("aaaa", "bbbb"))
    first, second, third, fourth = items.item_ids(store, odd.id)
    correct, clear = versions["correctness"], versions["readability"]
    grades.record(
        store,
        [
            Press(first, correct, ana, score=3, reason='He said "no",\nI think', seconds=1.5),
            Press(first, clear, ana, score=1, blind=True, quote="in words alone"),
            Press(first, clear, ana, score=2, blind=False, why="thought again", **_EVIDENCE),
            Press(second, correct, ana, status="cannot_grade", reason="empty"),
            Press(third, correct, ana, score=0, rubric_language="ko"),
            Press(third, correct, ana, score=1, repeat=2),
            Press(fourth, correct, ana, score=0),
            Press(fourth, correct, ana, status="withdrawn"),
            Press(first, correct, old, score=1),
            Press(first, correct, new, score=2, distribution=_SHARES),
        ],
    )


@pytest.fixture
def graded(store):
    """Three answers, two of them known to tools, with grades by Ana, Ben and a judge."""
    return graded_traces(store)
