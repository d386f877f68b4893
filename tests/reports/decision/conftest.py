import pytest

from concord.store import additions
from tests.support.made_items import made_item
from tests.support.reports.choices import QUESTIONS


@pytest.fixture
def doc_qa(rubric):
    return rubric[1]


@pytest.fixture
def scores(store):
    """Sixty questions with two answers each, and an annotator's grades: every third fails."""
    made = [made_item(n, m) for n in range(QUESTIONS) for m in ("atlas", "birch")]
    additions.add(store, "numbers", made, "numbers.csv", "0" * 64, {})
    return {place: (3, 2, 0)[place % 3] for place in range(2 * QUESTIONS)}
