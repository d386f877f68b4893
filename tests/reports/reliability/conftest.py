"""Fixtures of the tests of reliability."""

from itertools import count

import numpy as np
import pytest

from concord.store import additions, graders, items
from concord.store import sheets as stored_sheets
from concord.store.grades import Press, record
from tests.support.made_items import made_item
from tests.support.panels import HONEST, SCALE, give, honest, judge, thirds
from tests.support.simulated_plans import few_sheets

PRESS = count()


@pytest.fixture
def grade_at(store, rubric, monkeypatch):
    """Grades on the screen: graded(who, {place: score}, "2026-11-01T09", seconds=5)."""

    def grade(who, scores, hour, seconds=None, repeat=1, criterion="correctness"):
        monkeypatch.setattr("concord.store.grades.now", lambda: f"{hour}:00:00.000Z")
        ids = items.item_ids(store, stored_sheets.all_sheets(store)[0].id)
        person = graders.ensure(store, "person", who)
        version = rubric[1].versions()[criterion]
        record(
            store,
            [
                Press(
                    *(ids[place], version, person, "scored", score),
                    seconds=seconds,
                    repeat=repeat,
                    press_id=f"press {next(PRESS)}",
                )
                for place, score in scores.items()
            ],
        )

    return grade


@pytest.fixture
def with_random_eve(store, rubric):
    """Fifty questions of two answers: four honest annotators and Eve, who presses at random."""
    random = np.random.default_rng(14)
    made = [made_item(n, model) for n in range(50) for model in ("atlas", "birch")]
    additions.add(store, "numbers", made, "numbers.csv", "0" * 64, {})
    truth = random.choice(SCALE, 100, p=(0.1, 0.15, 0.25, 0.5))
    rows = {name: honest(random, truth, 0.3) for name in HONEST}
    rows["Eve"] = random.integers(0, 4, 100)
    for name, scores in rows.items():
        give(store, rubric[1], name, dict(enumerate(map(int, scores))))
    for name, error in (("dear", 0.15), ("cheap", 0.2)):
        scores = honest(random, truth, error)
        judge(store, rubric[1], name, dict(enumerate(map(int, scores))))
    return truth


@pytest.fixture
def copied(store, doc_qa):
    """Two answers to each of 90 questions; Ana's scores are those of `dear`, on all of them."""
    made = [made_item(n, model) for n in range(90) for model in ("atlas", "birch")]
    additions.add(store, "numbers", made, "numbers.csv", "0" * 64, {})
    scores = thirds(180)
    ana = give(store, doc_qa, "Ana", scores)
    judge(store, doc_qa, "dear", scores)
    judge(store, doc_qa, "cheap", thirds(180, 12))
    return ana


@pytest.fixture
def with_eve(store, rubric, monkeypatch):
    """Twelve questions of two answers, graded by honest annotators and by Eve, at random."""
    few_sheets(monkeypatch, 2)
    random = np.random.default_rng(14)
    made = [made_item(n, model) for n in range(12) for model in ("atlas", "birch")]
    additions.add(store, "numbers", made, "numbers.csv", "0" * 64, {})
    errors = dict.fromkeys(HONEST, 0.3) | {"Eve": 4, "dear": 0.15, "cheap": 0.2}
    for criterion in rubric[1].versions():
        truth = random.choice(SCALE, 24)
        for name, error in errors.items():
            by = give if error > 0.2 else judge
            scores = dict(enumerate(map(int, honest(random, truth, error))))
            by(store, rubric[1], name, scores, criterion=criterion)
