"""A sheet with two judges and an annotator, as a combined judge finds it."""

from typing import NamedTuple

import numpy as np
import pytest

from concord.judges.definition.model import Judge
from concord.model import Distribution
from concord.store import graders, grades, items
from concord.store.grades import Press


class Graded(NamedTuple):
    """Grader ids, and the (36,) scores of each on every criterion."""

    ana: int
    one: int
    two: int
    score: np.ndarray
    by_one: np.ndarray
    by_two: np.ndarray


@pytest.fixture
def give(store, sheet, rubric):
    """A function that stores a grader's scores of all answers, on every criterion or some."""

    def given(grader_id, scores, criteria=None, likely=None, statuses=None):
        versions = rubric[1].versions()
        presses = [
            Press(
                item_id,
                versions[name],
                grader_id,
                statuses[place] if statuses else "scored",
                None if statuses and statuses[place] != "scored" else float(scores[place]),
                distribution=likely and likely(scores[place]),
            )
            for place, item_id in enumerate(items.item_ids(store, sheet.id))
            for name in criteria or versions
        ]
        grades.record(store, presses)

    return given


@pytest.fixture
def graded(store, sheet, give, ana):
    """Two judges that err on some answers, and an annotator who graded all 36."""
    random = np.random.default_rng(4)
    score = np.arange(36) * 7 % 4
    err = [np.clip(score + random.choice([-1, 0, 0, 0, 1], 36), 0, 3) for _ in range(2)]
    one, two = (graders.ensure(store, "judge", name) for name in ("one", "two"))
    for grader, given in ((ana, score), (one, err[0]), (two, err[1])):
        give(grader, given)
    return Graded(ana, one, two, score, *err)


@pytest.fixture
def jury():
    """A function that makes a combined judge of two members."""

    def made(rule="ordinal", members=("one", "two"), **more):
        keys = {"name": "jury", "kind": "combined", "rubric": "doc-qa-0-3"}
        return Judge(**keys | more, rule=rule, members=members)

    return made


@pytest.fixture
def harsh():
    """A distribution whose expected score is .6 below a score."""

    def likely(score):
        lower = max(0, int(score) - 1)
        shares = {int(score): 0.4, lower: 0.6} if lower < score else {0: 1.0}
        every = tuple((float(one), shares.get(one, 0.0)) for one in range(4))
        return Distribution("native", every, None)

    return likely
