"""Fixtures of the tests of composites."""

import pytest

from concord.reports.metrics import against_annotators
from concord.store import additions
from tests.support.made_items import made_item
from tests.support.measured_sets import VERA, give, spread
from tests.support.panels import give as grade


@pytest.fixture
def tea(store):
    """Sixty answers, two to each of thirty questions."""
    made = [made_item(n, m) for n in range(30) for m in ("atlas", "birch")]
    return additions.add(store, "tea", made, "t.csv", "1" * 64, {})


@pytest.fixture
def graded_tea(store, tea, rubric):
    """An annotator's grades that follow one of two metrics; the panel."""
    one = spread(1)
    give(store, tea.id, "faithfulness", one)
    give(store, tea.id, "context_recall", spread(2))
    for criterion in ("correctness", "comprehensiveness", "readability"):
        scores = {place: round(3 * value) for place, value in enumerate(one)}
        grade(store, rubric[1], "Ana", scores, criterion)
    return against_annotators.panel(store, tea)


@pytest.fixture
def tea_with_vera(store):
    """Forty answers, two to each question, with two of VERA's metrics."""
    made = [made_item(n, m, answer="tea " * (n + 3)) for n in range(20) for m in ("atlas", "birch")]
    sheet = additions.add(store, "tea", made, "t.csv", "1" * 64, {})
    give(store, sheet.id, VERA[0], [n % 2 for n in range(40)])
    give(store, sheet.id, VERA[1], [n / 40 for n in range(40)])
    return sheet
