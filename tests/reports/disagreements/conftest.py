"""A sheet with disagreements of a judge and two annotators."""

import pytest

from tests.support.panels import give, judge, panel


@pytest.fixture
def graded(store, sheet, doc_qa):
    """Six disagreements of gpt: 3 against 0, 0 against 3, 3 against 1 and three by one point."""
    give(store, doc_qa, "Ana", {0: 0, 1: 3, 2: 1, 3: 2, 4: 2, 5: 3})
    give(store, doc_qa, "Ben", {0: 0, 3: 1})
    judge(store, doc_qa, "gpt", {0: 3, 1: 0, 2: 3, 3: 3, 4: 3, 5: 3, 6: 2})
    return panel(store, doc_qa)
