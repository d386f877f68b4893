"""Judges that give probabilities, made for the tests: overconfident, stated, or by repeats."""

import random

from concord.model import NATIVE, STATED, Distribution
from concord.rubrics.model import Rubric
from concord.store import graders, items, sheets
from concord.store.database import Store
from concord.store.grades import Press, record

SCALE = (0, 1, 2, 3)


def overconfident(place: int, certain: float = 0.94) -> Distribution:
    """A probability of `certain` on one score of 0-3, the rest spread evenly; seeded by place."""
    likeliest = random.Random(place).choices(SCALE, (1, 1, 3, 5))[0]
    rest = (1 - certain) / (len(SCALE) - 1)
    shares = ((score, certain if score == likeliest else rest) for score in SCALE)
    return Distribution(NATIVE, tuple(shares), 0.02)


def stated(place: int, certain: float = 0.94) -> Distribution:
    """The same with the probability of the likeliest score only."""
    score, most = max(overconfident(place, certain).probabilities, key=lambda one: one[1])
    return Distribution(STATED, ((score, most),))


def likeliest(one: Distribution) -> float:
    """The most probable score."""
    return max(one.probabilities, key=lambda pair: pair[1])[0]


def give_probabilities(
    store: Store,
    rubric: Rubric,
    name: str,
    given: dict[int, Distribution | None],
    criterion: str = "correctness",
    scores: dict[int, int] | None = None,
) -> int:
    """Record a judge's most probable scores, by place in the first sheet, with probabilities.

    `scores` are those that it gave where they are not the most probable. Returns the grader id.
    """
    judge = graders.ensure(store, "judge", name)
    ids = items.item_ids(store, sheets.all_sheets(store)[0].id)
    version, scores = rubric.versions()[criterion], scores or {}
    record(
        store,
        [
            Press(
                ids[place],
                version,
                judge,
                score=scores[place] if place in scores else likeliest(one),
                distribution=one,
            )
            for place, one in given.items()
        ],
    )
    return judge
