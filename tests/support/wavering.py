"""A graded sheet for the tests of the cascade: a cheap judge that wavers."""

import numpy as np

from concord.store import additions
from concord.store.database import Store
from tests.support.made_items import made_item
from tests.support.panels import give

QUESTIONS = 160


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
