"""Tables of made-up judges for the tests of the decision."""

from collections.abc import Sequence

import numpy as np

from concord.stats.decision.conditions import Grades

SCALE, FAILING = (0, 1, 2, 3), (0, 1)


def tables(annotator: np.ndarray, judge: np.ndarray) -> np.ndarray:
    """(G, K, K) counts of grades that are (G, A)."""
    found = np.zeros((len(annotator), len(SCALE), len(SCALE)))
    for question, (human, model) in enumerate(zip(annotator, judge, strict=True)):
        np.add.at(found[question], (human, model), 1)
    return found


def grades(
    annotator: np.ndarray, judges: Sequence[np.ndarray], second: np.ndarray | None = None
) -> Grades:
    """The judges, the reference first; with a second annotator of the same answers."""
    each = np.stack([tables(annotator, judge) for judge in judges])
    if second is None:
        return Grades(each, np.zeros_like(each), np.zeros_like(each[0]), SCALE, FAILING)
    both = (each + np.stack([tables(second, judge) for judge in judges])) / 2
    between = tables(annotator, second)
    between = (between + between.swapaxes(1, 2)) / 2
    return Grades(both, both, between, SCALE, FAILING, squares=both / 2)


def person(questions: int, answers: int = 2, seed: int = 1) -> np.ndarray:
    """Grades over the whole scale."""
    return np.random.default_rng(seed).integers(0, 4, (questions, answers))


def erring(truth: np.ndarray, share: float, seed: int) -> np.ndarray:
    """The same, off by one on a share of the answers."""
    random = np.random.default_rng(seed)
    step = np.where(truth == 0, 1, np.where(truth == 3, -1, random.choice([-1, 1], truth.shape)))
    return truth + step * (random.random(truth.shape) < share)
