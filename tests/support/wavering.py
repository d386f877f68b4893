"""Graded sheets for the tests of the cascade: a cheap judge that wavers, one with probabilities."""

import numpy as np

from concord.model import NATIVE, Distribution
from concord.reports.decision import choose
from concord.reports.decision.verdict import Terms
from concord.store import additions, graders
from concord.store.database import Store
from tests.support.made_items import made_item
from tests.support.panels import give, give_probabilities, panel

QUESTIONS, DECIDED = 160, 240


def asked(store: Store, rubric) -> None:
    """Add a sheet on which `mini` was asked three times, `big` once; Ana graded all of it.

    On three questions of four mini says the same thrice and is right; on the fourth it wavers and
    is right by chance. Big is right on 19 of 20.
    """
    random = np.random.default_rng(4)
    items = [made_item(n) for n in range(QUESTIONS)]
    additions.add(store, "asked", items, "asked.csv", "0" * 64, {})
    truth = {n: int(score) for n, score in enumerate(random.integers(0, 4, QUESTIONS))}
    give(store, rubric, "Ana", truth)
    big = {n: (score + (n % 20 == 0)) % 4 for n, score in truth.items()}
    give(store, rubric, "big", big, kind="judge")
    for repeat in (1, 2, 3):
        said = {n: int(random.integers(0, 4)) if n % 4 == 0 else s for n, s in truth.items()}
        give(store, rubric, "mini", said, kind="judge", repeat=repeat)


def decided(store: Store, rubric) -> None:
    """Add a sheet with a decider whose scores are right where it is sure; Ana graded all of it.

    Its confidences are all different. Above .6 it is right on 99%, below on half.
    """
    random = np.random.default_rng(8)
    items = [made_item(n) for n in range(DECIDED)]
    additions.add(store, "decided", items, "decided.csv", "0" * 64, {})
    truth = {n: int(score) for n, score in enumerate(random.integers(0, 4, DECIDED))}
    give(store, rubric, "Ana", truth)
    sure = random.uniform(0.4, 1.0, DECIDED)
    right = random.random(DECIDED) < np.where(sure > 0.6, 0.99, 0.5)
    scores = {n: score if right[n] else (score + 1) % 4 for n, score in truth.items()}
    given = {
        n: Distribution(
            NATIVE, tuple((s, float(sure[n] if s == own else (1 - sure[n]) / 3)) for s in range(4))
        )
        for n, own in scores.items()
    }
    give_probabilities(store, rubric, "decider", given, scores=scores)


def decide(store, rubric, against: str) -> None:
    made = panel(store, rubric)
    judge = next(i for i, label in made.labels.items() if label == against)
    decision = choose.fix(store, made, graders.get(store, judge), Terms(0.1, 0.0), None)
    choose.look(store, made, decision)
