"""Fixtures of the tests of planning."""

import numpy as np
import pytest

from concord.store import additions
from tests.support.made_items import made_item
from tests.support.panels import give, judge, panel


@pytest.fixture
def forty_questions(store):
    """Forty questions with two answers each."""
    made = [made_item(n, m) for n in range(40) for m in ("atlas", "birch")]
    return additions.add(store, "numbers", made, "numbers.csv", "0" * 64, {})


@pytest.fixture
def graded_forty(store, forty_questions, doc_qa):
    """Ana on all 80 answers, one in ten failing; two judges that are right three times in four."""
    random = np.random.default_rng(3)
    person = [0 if n % 10 == 0 else 2 + n % 2 for n in range(80)]
    give(store, doc_qa, "Ana", dict(enumerate(person)))
    for name in ("alpha", "beta"):
        right = random.random(80) < 0.75
        said = [p if hit else 1 for p, hit in zip(person, right, strict=True)]
        judge(store, doc_qa, name, dict(enumerate(said)))
    return panel(store, doc_qa)


@pytest.fixture(autouse=True)
def _simulated_once(simulated_once):
    """Several tests plan from the same pilot, and text and JSON are of one plan."""
