"""Small graded sheets for the tests of the reports: who gave which answer which score.

Grading sets drawn with given chances.

Annotators who err now and then, by a point.

Judges that give probabilities, made for the tests: overconfident, stated, or by repeats.
"""

import random

import numpy as np

from concord.grading import grading_sets, inclusion_probabilities
from concord.model import NATIVE, STATED, Distribution
from concord.reports.panel.panel import Panel, read
from concord.rubrics.model import Rubric
from concord.store import graders, items, sheets
from concord.store.database import Store
from concord.store.grades import Press, record

ATLAS, BIRCH, COBALT = 0, 1, 2  # the answers to the first question, by their place in the sheet


def give(
    store: Store,
    rubric,
    grader: str,
    scores: dict[int, int | None],
    criterion: str = "correctness",
    kind: str = "person",
    **press,
) -> int:
    """Record a grader's scores by the item's place in the sheet; None is `cannot_grade`.

    Names that begin with `sim` are simulated. `press` goes into each `Press`. Returns the id.
    """
    grader_id = graders.ensure(store, kind, grader, simulated=grader.startswith("sim"))
    ids = items.item_ids(store, sheets.all_sheets(store)[0].id)
    version = rubric.versions()[criterion]
    record(
        store,
        [
            Press(
                ids[place],
                version,
                grader_id,
                status="cannot_grade" if score is None else "scored",
                score=score,
                **press,
            )
            for place, score in scores.items()
        ],
    )
    return grader_id


def judge(store: Store, rubric, name: str, scores: dict[int, int | None], **more) -> int:
    """The same for a judge."""
    return give(store, rubric, name, scores, kind="judge", **more)


def panel(store: Store, rubric, *annotators: str) -> Panel:
    """The panel of the only sheet."""
    return read(store, sheets.all_sheets(store)[0], rubric, annotators or None)


SUSPECTED = range(4)  # the questions drawn with the higher chance


def drawn(store, sheet, rubric, name, chances, known=None):
    """A grading set of the places in `chances`, each with its chance; `known` are all chances."""
    set_id = grading_sets.create(store, sheet.id, rubric[0], name, 1, seed=1).id
    ids = items.item_ids(store, sheet.id)
    with store.write():
        store.execute("delete from grading_set_items where set_id = ?", (set_id,))
        store.insert_many(
            "grading_set_items",
            ("set_id", "item_id", "block", "position", "inclusion_probability"),
            [(set_id, ids[place], 0, place, chance) for place, chance in chances.items()],
        )
        if known:
            inclusion_probabilities.record(
                store, set_id, {ids[place]: p for place, p in known.items()}
            )
    return set_id


SCALE = (0, 1, 2, 3)
HONEST = ("Ana", "Ben", "Cyd", "Dan")


def honest(random, truth, error):
    """Off by one on so large a share of the answers."""
    off = np.where(random.random(len(truth)) < 0.5, 1, -1)
    return np.clip(truth + np.where(random.random(len(truth)) < error, off, 0), 0, 3).astype(float)


def thirds(answers, off=0):
    """Scores of 0, 2 and 3 by place; those of the first `off` answers are one point away."""
    scores = {place: (0, 2, 3)[place % 3] for place in range(answers)}
    return {p: s + 1 if p < off and s < 3 else s for p, s in scores.items()}


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
